"""The loop that works at a goal until checks that we run ourselves pass, or it gives up."""

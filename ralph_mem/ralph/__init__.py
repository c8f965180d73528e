"""The Ralph loop: works at a goal until checks that we run ourselves pass, or it is time to give up. Standard library only."""

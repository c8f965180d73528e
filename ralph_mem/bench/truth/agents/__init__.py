"""Scripted agents, one program with a table of what it does in each iteration."""

"""The entrances of hooks, skills and the command line."""

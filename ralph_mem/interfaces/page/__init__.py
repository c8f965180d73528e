"""Show a person their memory in a browser on this machine, and put it right."""

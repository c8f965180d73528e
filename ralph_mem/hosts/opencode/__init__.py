"""What OpenCode hands to a hook, what it takes back, and what it keeps."""

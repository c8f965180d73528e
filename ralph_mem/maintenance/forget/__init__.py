"""Show what is to be forgotten, delete it everywhere, and search the raw files for it."""

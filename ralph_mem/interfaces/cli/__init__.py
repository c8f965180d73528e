"""The command line `ralph-mem`, which parses words, makes one call and prints."""

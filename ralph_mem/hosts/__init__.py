"""The clients whose sessions are recorded, a folder each."""

"""The lowest layer, on which every hook stands; it imports the standard library and itself."""

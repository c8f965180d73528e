"""Find what holds beyond single turns, decide about it, and tell it with its source."""

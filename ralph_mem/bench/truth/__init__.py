"""Measure whether a loop tells the truth and loses nothing, with agents that cheat, break things, crash, or are honest."""

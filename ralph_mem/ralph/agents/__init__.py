"""The agents that a loop in the background starts, and what becomes of their turns."""

"""The ground floor: the standard library and itself, nothing else. Every hook stands on it."""

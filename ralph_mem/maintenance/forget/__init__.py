"""Forgetting: what goes is shown, deleted everywhere, and looked for in the raw files."""

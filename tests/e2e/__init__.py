"""End to end: the real client, driven offline against a scripted Messages API."""

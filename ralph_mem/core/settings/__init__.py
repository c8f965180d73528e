"""The settings, from the rules of each key to the values in force."""

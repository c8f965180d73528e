"""What a person sees of loops, at work and afterwards, and what they say to one at work."""

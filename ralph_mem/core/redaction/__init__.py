"""Find what must not be stored or told, and cut it out."""

"""What a team shares, promoted and approved by persons, one item at a time."""

"""What Cursor hands to a hook and takes back, by its public documents."""

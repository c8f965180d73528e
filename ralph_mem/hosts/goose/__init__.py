"""What Goose hands to a hook, by its public documents."""

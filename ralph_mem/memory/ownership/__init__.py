"""Tell whether a memory is the user's own, and deal with one that is not."""

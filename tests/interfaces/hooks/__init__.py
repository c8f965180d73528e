"""The hooks as real processes, fired the way the client fires them."""

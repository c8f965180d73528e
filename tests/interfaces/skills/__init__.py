"""The answers to what people type in the client, and to what the model runs."""

"""What is remembered, and how it comes back."""

"""What the model is told without asking, at a session's start and at a prompt."""

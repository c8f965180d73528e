"""What a command line does, and how it ended as far as the line and its output say."""

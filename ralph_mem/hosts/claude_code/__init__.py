"""Claude Code: its events, tools, transcripts and files."""

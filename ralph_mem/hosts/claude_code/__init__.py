"""Everything that knows Claude Code's events, tools, transcripts and files."""

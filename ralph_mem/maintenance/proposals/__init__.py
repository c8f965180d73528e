"""Let a model propose which of a person's sentences may hold, within a budget a day."""

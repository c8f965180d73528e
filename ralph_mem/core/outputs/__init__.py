"""Read what tests, linters and builds print."""

"""Backups, damage and repair."""

"""Situations for the hooks: an installed plugin, a project nobody has worked in, a session in it."""

from tests.installed import a_project, a_session, plugin

__all__ = ["a_project", "a_session", "plugin"]

"""Count the rows of a memory for `status`, an inspection and an import."""

# Sessions of a client, turns, prompts of a person, slash commands, observations, errors, notes, pinned rows; those without their
# body; when the last one was made: an import brings older ones, behind what is there.
OF_STATUS = """
SELECT (SELECT count(*) FROM sessions WHERE agent <> 'ralph-mem'), (SELECT count(*) FROM turns),
    (SELECT count(*) FROM turns WHERE kind = 'prompt'), (SELECT count(*) FROM turns WHERE kind = 'command'),
    count(*), total(type = 'error'), total(type = 'note'),
    (SELECT count(*) FROM turns WHERE pinned) + (SELECT count(*) FROM observations WHERE pinned),
    total(emptied_at NOT NULL),
    max(coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM turns ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT value FROM properties WHERE key = 'stopped_at'), 0))
FROM observations"""
NOTES = "SELECT count(*) FROM observations WHERE type = 'note'"
# Sessions, turns, observations; when something was last recorded.
OF_MEMORY = """
SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM observations),
    max(coalesce((SELECT max(coalesce(ended_at, started_at)) FROM sessions), 0),
        coalesce((SELECT max(created_at, coalesce(ended_at, 0)) FROM turns ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0))"""
# The highest number of a turn, and of an observation.
NEWEST = "SELECT coalesce((SELECT max(id) FROM turns), 0), coalesce((SELECT max(id) FROM observations), 0)"

-- A member whose local copy is smaller than the team takes what was accepted last.
CREATE INDEX item_accepted ON ralph_mem.item (team, updated DESC) WHERE state = 'accepted';

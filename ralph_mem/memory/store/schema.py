"""The tables, as numbered migrations over SQLite's own `user_version`.

Run at session start or by the CLI only.

Within a major version a migration only adds: older code must be able to read what newer code wrote. Times are
milliseconds since 1970 in UTC and for people to read; `seq` decides order. Integer keys join; `public_id`
(`sess-`, `turn-`, `obs-`, `loop-` and ten random characters) is what people and other tables name; `event_id` is
made from the client's ids, so that the same event never counts twice.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

APPLICATION_ID = 0x52414C50  # "RALP": tells our files from any other SQLite database

SESSIONS = (
    """
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        public_id TEXT NOT NULL UNIQUE,
        client_session TEXT NOT NULL UNIQUE,  -- the client's id; stays the same when a session is resumed or compacted
        project_path TEXT NOT NULL,
        source TEXT NOT NULL,                 -- startup, resume, clear, compact, fork
        agent TEXT NOT NULL,                  -- which client
        model TEXT,
        transcript_path TEXT,
        branch TEXT,
        commit_id TEXT,
        client_pid INTEGER,
        client_born INTEGER,                  -- when that process started, in ticks since boot, and where (sessions.client)
        fence TEXT NOT NULL,                  -- the random tag around what is injected into this session
        context_since INTEGER NOT NULL,       -- seq after which the client's context window still holds everything
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        end_reason TEXT,                      -- what the client said, or 'crash'
        summary TEXT
    )""",
)

TURNS = (
    """
    CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        public_id TEXT NOT NULL UNIQUE,
        event_id TEXT NOT NULL UNIQUE,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,                   -- prompt; without the user's words: command and loop (ours), notification
        status TEXT NOT NULL,                 -- open, stopped, interrupted, failed
        origin TEXT NOT NULL,
        prompt TEXT NOT NULL,
        response TEXT NOT NULL,
        context TEXT NOT NULL,                -- the two turns before it in the session, 160 characters each
        files TEXT NOT NULL,                  -- changed in this turn, a path a line
        files_read TEXT NOT NULL,
        lines TEXT NOT NULL,                  -- commands and error lines
        branch TEXT,
        commit_id TEXT,
        tainted INTEGER NOT NULL DEFAULT 0,   -- web or MCP text was seen: the response is never injected by itself
        tokens INTEGER NOT NULL,
        checksum INTEGER NOT NULL,            -- CRC-32 of prompt, response, files and lines
        redactions TEXT,                      -- JSON: how many of which kind
        redaction_version INTEGER NOT NULL,
        scan_level INTEGER NOT NULL,          -- 1: the rules that fit into a hook; 2: the long list as well
        index_version INTEGER NOT NULL,       -- 0: not in memory_fts
        created_at INTEGER NOT NULL,
        ended_at INTEGER
    )""",
)

OBSERVATIONS = (
    """
    CREATE TABLE observations (
        id INTEGER PRIMARY KEY,
        public_id TEXT NOT NULL UNIQUE,
        event_id TEXT NOT NULL UNIQUE,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        turn_id INTEGER REFERENCES turns ON DELETE SET NULL,
        seq INTEGER NOT NULL,
        type TEXT NOT NULL,
        origin TEXT NOT NULL,                 -- user, agent, tool, test, outside
        tool_name TEXT,
        title TEXT NOT NULL,                  -- command, path or first line
        content TEXT NOT NULL,
        files TEXT NOT NULL,
        lines TEXT NOT NULL,
        metadata TEXT,                        -- JSON
        agent_id TEXT,                        -- of the subagent that did it; nothing for the session's own agent
        agent_type TEXT,
        tainted INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL,
        checksum INTEGER NOT NULL,            -- CRC-32 of title, content, files and lines
        redactions TEXT,                      -- JSON: how many of which kind
        redaction_version INTEGER NOT NULL,
        scan_level INTEGER NOT NULL,
        index_version INTEGER NOT NULL,
        created_at INTEGER NOT NULL
    )""",
)

LOOPS = (
    """
    CREATE TABLE loop_runs (
        id INTEGER PRIMARY KEY,
        public_id TEXT NOT NULL UNIQUE,
        session_id INTEGER REFERENCES sessions ON DELETE CASCADE,
        goal TEXT NOT NULL,
        status TEXT NOT NULL,                 -- running, success, failed, stopped
        stop_reason TEXT,
        iterations INTEGER NOT NULL DEFAULT 0,
        snapshot_id TEXT,
        settings TEXT,                        -- JSON
        started_at INTEGER NOT NULL,
        ended_at INTEGER
    )""",
    """
    CREATE TABLE iterations (
        id INTEGER PRIMARY KEY,
        loop_run_id INTEGER NOT NULL REFERENCES loop_runs ON DELETE CASCADE,
        number INTEGER NOT NULL,
        snapshot_id TEXT,
        verdicts TEXT,                        -- JSON
        summary TEXT,
        tree TEXT,
        tokens INTEGER,
        cost REAL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        UNIQUE (loop_run_id, number)
    )""",
)

RECEIPTS = (
    """
    CREATE TABLE receipts (
        id INTEGER PRIMARY KEY,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        turn_id INTEGER REFERENCES turns ON DELETE SET NULL,
        seq INTEGER NOT NULL,
        event TEXT NOT NULL,
        budget INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        created_at INTEGER NOT NULL
    )""",
    "CREATE INDEX receipts_of_session ON receipts (session_id, seq)",
    """
    CREATE TABLE receipt_items (
        receipt_id INTEGER NOT NULL REFERENCES receipts ON DELETE CASCADE,
        position INTEGER NOT NULL,
        memory TEXT NOT NULL,                 -- public id of the turn or observation
        outcome TEXT NOT NULL,                -- full, line, folded, missed
        score REAL NOT NULL,
        evidence INTEGER NOT NULL,            -- what the terms of the prompt count that it holds
        tokens INTEGER NOT NULL,
        PRIMARY KEY (receipt_id, position)
    ) WITHOUT ROWID""",
)

JOBS = (
    """
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        subject TEXT,
        status TEXT NOT NULL,                 -- queued, running, done, failed
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        created_at INTEGER NOT NULL,
        run_after INTEGER
    )""",
)

# A memory is what is worth injecting: a turn, or an observation of a type that stands for itself.
MEMORIES = (
    """
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY,               -- the rowid in memory_fts
        turn_id INTEGER UNIQUE REFERENCES turns ON DELETE CASCADE,
        observation_id INTEGER UNIQUE REFERENCES observations ON DELETE CASCADE,
        created_at INTEGER NOT NULL           -- of the turn or observation: ranking some of them must not read their texts
    )""",
    """
    CREATE TABLE derived_from (
        child TEXT NOT NULL,                  -- public ids, which also name rows of other databases
        parent TEXT NOT NULL,
        PRIMARY KEY (child, parent)
    ) WITHOUT ROWID""",
    "CREATE INDEX derived_by_parent ON derived_from (parent)",
    """
    CREATE TABLE properties (
        key TEXT PRIMARY KEY,
        value
    ) WITHOUT ROWID""",
)

# Contentless, since the text indexed differs from the text stored. Hooks never merge: automerge is off, and the
# emergency merge comes so late that Stop has always been before it.
INDEXES = (
    "CREATE INDEX sessions_open ON sessions (client_session) WHERE ended_at IS NULL",
    "CREATE INDEX turns_open ON turns (session_id) WHERE status = 'open'",
    "CREATE INDEX turns_in_order ON turns (session_id, seq)",
    "CREATE INDEX observations_in_order ON observations (session_id, seq)",
    """
    CREATE VIRTUAL TABLE memory_fts USING fts5(
        title, body, context, files, lines, content='', tokenize='porter unicode61 remove_diacritics 2')""",
    """
    CREATE VIRTUAL TABLE observations_fts USING fts5(
        title, body, files, lines, content='', tokenize='porter unicode61 remove_diacritics 2')""",
    "INSERT INTO memory_fts (memory_fts, rank) VALUES ('automerge', 0), ('crisismerge', 256), ('usermerge', 2)",
    "INSERT INTO observations_fts (observations_fts, rank) VALUES ('automerge', 0), ('crisismerge', 256), ('usermerge', 2)",
)

# What a person says about a memory: keep it in view, it misled, it was corrected.
MARKS = (
    "ALTER TABLE turns ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE turns ADD COLUMN misled INTEGER NOT NULL DEFAULT 0",  # how often
    "ALTER TABLE turns ADD COLUMN edited_at INTEGER",
    "ALTER TABLE observations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE observations ADD COLUMN misled INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE observations ADD COLUMN edited_at INTEGER",
    "ALTER TABLE receipt_items ADD COLUMN misled_at INTEGER",  # when the person said that it misled
    "CREATE INDEX turns_pinned ON turns (id) WHERE pinned",
    "CREATE INDEX observations_pinned ON observations (id) WHERE pinned",
)

# What recall needs beside the words: where a note was said and by whom; and what became of a row since it was written.
MEANING = (
    "ALTER TABLE observations ADD COLUMN context TEXT NOT NULL DEFAULT ''",  # of a memory: what was said just before it
    "ALTER TABLE observations ADD COLUMN speaker TEXT",  # who said it, where that is neither the user nor the agent
    "ALTER TABLE observations ADD COLUMN emptied_at INTEGER",  # when old raw output lost its body
    "ALTER TABLE observations ADD COLUMN counted_by TEXT",  # the vocabulary that counted the tokens; none: an estimate
    "ALTER TABLE turns ADD COLUMN counted_by TEXT",
)

MIGRATIONS = (SESSIONS + TURNS + OBSERVATIONS + LOOPS + RECEIPTS + JOBS + MEMORIES + INDEXES, MARKS, MEANING)

NOTES = "observations_noted"  # where thousands of memories of a team stand between the notes that a briefing looks for

# What only some memories need is made when they need it: to read of one more table costs every event 0.3 million instructions.
ON_DEMAND = {
    "shingles": """
    CREATE TABLE IF NOT EXISTS shingles (
        observation_id INTEGER PRIMARY KEY REFERENCES observations ON DELETE CASCADE,
        hashes BLOB NOT NULL                  -- of runs of a text from outside, by which an answer that repeats it is known
    )""",
    "vectors": """
    CREATE TABLE IF NOT EXISTS vectors (
        memory_id INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
        model TEXT NOT NULL,                  -- which one made them; those of another are as good as missing
        checksum INTEGER NOT NULL,            -- of the text that was embedded: a text that changed is embedded anew
        vector BLOB,                          -- little-endian 16-bit floats of length one; nothing where it failed
        static BLOB,                          -- the same by the small table that a hook can read: signed bytes
        attempts INTEGER NOT NULL,
        tried_at INTEGER NOT NULL
    )""",
    "imports": """
    CREATE TABLE IF NOT EXISTS imports (
        transcript TEXT PRIMARY KEY,          -- the client's id of the session, or of a subagent
        position INTEGER NOT NULL,            -- the byte up to which it has been read
        bytes INTEGER NOT NULL,               -- how many it had, and when it had changed, when it was read to its end
        changed_at INTEGER NOT NULL,
        until INTEGER NOT NULL                -- the time of the last event that was taken from it
    ) WITHOUT ROWID""",
    "facts": """
    CREATE TABLE IF NOT EXISTS facts (
        id INTEGER PRIMARY KEY REFERENCES observations (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,                   -- rule, prefer, fact, decision, correction, command, place, lesson, pattern
        status TEXT NOT NULL,                 -- candidate, active, superseded, retired, rejected, exported, proposed
        source TEXT NOT NULL,                 -- inject, remember, add, prompt, ran, loop, proposal
        text_key TEXT NOT NULL,               -- of the words without what makes no difference
        said_at INTEGER NOT NULL,
        valid_from INTEGER,
        valid_until INTEGER,
        recorded_at INTEGER NOT NULL,
        retired_at INTEGER,
        retired_why TEXT,                     -- public id of what was said against it
        expires_at INTEGER,
        semantic REAL NOT NULL DEFAULT 0,     -- strengths, of which one is more than nothing
        episodic REAL NOT NULL DEFAULT 0,
        procedural REAL NOT NULL DEFAULT 0,
        touched_clock INTEGER,                -- how many accesses there had been when it was of use last, and the time
        touched_at INTEGER,
        helpful INTEGER NOT NULL DEFAULT 0,
        harmful INTEGER NOT NULL DEFAULT 0,
        anchors TEXT                          -- JSON: paths and symbols that it names, as they were when it was said
    )""",
    "fact_links": """
    CREATE TABLE IF NOT EXISTS fact_links (
        a TEXT NOT NULL,                      -- public ids
        b TEXT NOT NULL,
        kind TEXT NOT NULL,                   -- a supersedes, conflicts, retires, is the same as b
        score REAL NOT NULL,
        decided_by TEXT NOT NULL,             -- rule, person
        at INTEGER NOT NULL,
        PRIMARY KEY (a, b, kind)
    ) WITHOUT ROWID""",
    "relations": """
    CREATE TABLE IF NOT EXISTS relations (
        id INTEGER PRIMARY KEY,
        public_id TEXT NOT NULL UNIQUE,
        subject TEXT NOT NULL,
        subject_type TEXT NOT NULL,           -- person, module, file, test, tool, thing
        predicate TEXT NOT NULL,              -- lives_in, owned_by, depends_on, replaced_by, tested_by, run_with
        object TEXT NOT NULL,
        object_type TEXT NOT NULL,
        confidence REAL NOT NULL,             -- when it was confirmed last; less with every month after that
        confirmed_at INTEGER NOT NULL,
        made_at INTEGER NOT NULL,
        fact INTEGER REFERENCES observations (id) ON DELETE CASCADE,  -- the fact that says it
        UNIQUE (subject, predicate, object)
    )""",
    "outbox": """
    CREATE TABLE IF NOT EXISTS outbox (
        id TEXT NOT NULL,                     -- the public id of the row that was shared
        team TEXT NOT NULL,
        text TEXT NOT NULL,                   -- the item as the team gets it
        rev INTEGER NOT NULL,                 -- which the server had last; 0 where it has none
        state TEXT NOT NULL,                  -- waiting, sent, conflict
        at INTEGER NOT NULL,
        PRIMARY KEY (team, id)
    )""",
    NOTES: f"CREATE INDEX IF NOT EXISTS {NOTES} ON observations (id) WHERE type = 'note'",
}

VERSION = len(MIGRATIONS)
VERSION_NOW = "PRAGMA schema_version"


def is_made(store: "Store", table: str) -> bool:
    """Say whether a memory has one of the tables of `ON_DEMAND`, or its index."""
    return store.one("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)) is not None


def make(store: "Store", table: str) -> None:
    """Make one of the tables of `ON_DEMAND`, or its index, unless it is there. What was known to be our schema still is."""
    if is_made(store, table):
        return
    is_known = store.one(VERSION_NOW) == (store.property("checked_schema"),)
    store.execute(ON_DEMAND[table])
    if is_known:
        store.set_property("checked_schema", store.one(VERSION_NOW)[0])

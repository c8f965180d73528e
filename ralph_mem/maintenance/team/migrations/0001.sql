-- Who is in a team and what it shares. Every table belongs to a role that cannot log in, and holds that role to its policies too.
-- Objects are named with their schema, and nothing here runs with another one's rights.
CREATE TABLE ralph_mem.team (
    name text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$' AND name <> 'repository')
);
CREATE TABLE ralph_mem.member (
    team text NOT NULL REFERENCES ralph_mem.team ON DELETE CASCADE,
    login name NOT NULL,
    role text NOT NULL CHECK (role IN ('reader', 'writer', 'reviewer')),
    PRIMARY KEY (team, login)
);
-- When each member pulled last, which all members may see: a forget says who has not pulled since.
CREATE TABLE ralph_mem.pull (
    team text NOT NULL,
    login name NOT NULL,
    at timestamptz,
    PRIMARY KEY (team, login),
    FOREIGN KEY (team, login) REFERENCES ralph_mem.member ON DELETE CASCADE
);
CREATE TABLE ralph_mem.item (
    team text NOT NULL REFERENCES ralph_mem.team ON DELETE CASCADE,
    id text NOT NULL CHECK (id ~ '^obs-[a-z2-9]{10}$'),
    body text NOT NULL CHECK (octet_length(body) <= 49152),
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'accepted', 'rejected')),
    author name NOT NULL DEFAULT current_user,
    edited_by name NOT NULL DEFAULT current_user,
    rev integer NOT NULL DEFAULT 1,
    updated timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, id)
);
-- What was forgotten: an id and no text, so that nobody brings it back.
CREATE TABLE ralph_mem.tombstone (
    team text NOT NULL REFERENCES ralph_mem.team ON DELETE CASCADE,
    id text NOT NULL,
    login name NOT NULL DEFAULT current_user,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, id)
);

CREATE FUNCTION ralph_mem.revise() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.updated := now();
    IF NEW.body IS DISTINCT FROM OLD.body THEN  -- a reviewer's yes is no new text, on which an edit could not be based
        NEW.rev := OLD.rev + 1;
        NEW.edited_by := current_user;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER revise BEFORE UPDATE ON ralph_mem.item FOR EACH ROW EXECUTE FUNCTION ralph_mem.revise();

DO $$
DECLARE each text;
BEGIN
    FOREACH each IN ARRAY ARRAY['team', 'member', 'pull', 'item', 'tombstone'] LOOP
        EXECUTE format('ALTER TABLE ralph_mem.%I ENABLE ROW LEVEL SECURITY', each);
        EXECUTE format('ALTER TABLE ralph_mem.%I FORCE ROW LEVEL SECURITY', each);
        EXECUTE format('CREATE POLICY of_owner ON ralph_mem.%I TO ralph_mem_owner USING (true) WITH CHECK (true)', each);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA ralph_mem TO ralph_mem_member;
GRANT SELECT ON ralph_mem.team, ralph_mem.member, ralph_mem.pull, ralph_mem.item, ralph_mem.tombstone TO ralph_mem_member;
GRANT SELECT ON ralph_mem.schema_version TO ralph_mem_member;
GRANT INSERT (team, id, body) ON ralph_mem.item TO ralph_mem_member;
GRANT UPDATE (body, state) ON ralph_mem.item TO ralph_mem_member;
GRANT DELETE ON ralph_mem.item TO ralph_mem_member;
GRANT INSERT (team, id) ON ralph_mem.tombstone TO ralph_mem_member;
GRANT UPDATE (at) ON ralph_mem.pull TO ralph_mem_member;

-- A member sees their own line; all else goes by that.
CREATE POLICY own ON ralph_mem.member FOR SELECT TO ralph_mem_member USING (login = current_user);
CREATE POLICY own ON ralph_mem.team FOR SELECT TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = name AND m.login = current_user));
CREATE POLICY seen ON ralph_mem.pull FOR SELECT TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = pull.team AND m.login = current_user));
CREATE POLICY own ON ralph_mem.pull FOR UPDATE TO ralph_mem_member USING (login = current_user) WITH CHECK (login = current_user);

CREATE POLICY seen ON ralph_mem.item FOR SELECT TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = item.team AND m.login = current_user));
CREATE POLICY proposed ON ralph_mem.item FOR INSERT TO ralph_mem_member WITH CHECK (
    state = 'proposed' AND author = current_user AND edited_by = current_user
    AND NOT EXISTS (SELECT 1 FROM ralph_mem.tombstone AS t WHERE t.team = item.team AND t.id = item.id)
    AND EXISTS (SELECT 1 FROM ralph_mem.member AS m
        WHERE m.team = item.team AND m.login = current_user AND m.role IN ('writer', 'reviewer')));
-- What a writer edits is proposed again; only a reviewer accepts.
CREATE POLICY edited ON ralph_mem.item FOR UPDATE TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m
        WHERE m.team = item.team AND m.login = current_user AND m.role IN ('writer', 'reviewer')))
    WITH CHECK (EXISTS (SELECT 1 FROM ralph_mem.member AS m
        WHERE m.team = item.team AND m.login = current_user
        AND (m.role = 'reviewer' OR (m.role = 'writer' AND item.state = 'proposed'))));
CREATE POLICY forgotten ON ralph_mem.item FOR DELETE TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m
        WHERE m.team = item.team AND m.login = current_user
        AND (m.role = 'reviewer' OR (m.role = 'writer' AND item.author = current_user))));

CREATE POLICY seen ON ralph_mem.tombstone FOR SELECT TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = tombstone.team AND m.login = current_user));
CREATE POLICY forgotten ON ralph_mem.tombstone FOR INSERT TO ralph_mem_member WITH CHECK (
    login = current_user
    AND EXISTS (SELECT 1 FROM ralph_mem.item AS i JOIN ralph_mem.member AS m ON m.team = i.team AND m.login = current_user
        WHERE i.team = tombstone.team AND i.id = tombstone.id
        AND (m.role = 'reviewer' OR (m.role = 'writer' AND i.author = current_user))));

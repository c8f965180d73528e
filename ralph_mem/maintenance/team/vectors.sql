-- What items mean, where the server has pgvector: made again by whoever shares them, and found under the policies of who asks.
CREATE TABLE IF NOT EXISTS ralph_mem.item_vector (
    team text NOT NULL,
    id text NOT NULL,
    model text NOT NULL CHECK (length(model) BETWEEN 1 AND 200),
    rev integer NOT NULL,  -- of the text that it was made of: of another one it says nothing
    embedding {place}.vector NOT NULL,
    PRIMARY KEY (team, id, model),
    FOREIGN KEY (team, id) REFERENCES ralph_mem.item ON DELETE CASCADE
);
DO $$ BEGIN
    IF NOT (SELECT relforcerowsecurity FROM pg_class WHERE oid = 'ralph_mem.item_vector'::regclass) THEN
        ALTER TABLE ralph_mem.item_vector ENABLE ROW LEVEL SECURITY;
        ALTER TABLE ralph_mem.item_vector FORCE ROW LEVEL SECURITY;
        CREATE POLICY of_owner ON ralph_mem.item_vector TO ralph_mem_owner USING (true) WITH CHECK (true);
        GRANT SELECT ON ralph_mem.item_vector TO ralph_mem_member;
        GRANT INSERT, UPDATE (rev, embedding) ON ralph_mem.item_vector TO ralph_mem_member;
        CREATE POLICY seen ON ralph_mem.item_vector FOR SELECT TO ralph_mem_member
            USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = item_vector.team AND m.login = current_user));
        -- Only who has written the text says what it means.
        CREATE POLICY written ON ralph_mem.item_vector FOR INSERT TO ralph_mem_member WITH CHECK (
            EXISTS (SELECT 1 FROM ralph_mem.item AS i JOIN ralph_mem.member AS m ON m.team = i.team AND m.login = current_user
                WHERE i.team = item_vector.team AND i.id = item_vector.id AND i.rev = item_vector.rev
                AND i.edited_by = current_user AND m.role IN ('writer', 'reviewer')));
        CREATE POLICY written_anew ON ralph_mem.item_vector FOR UPDATE TO ralph_mem_member
            USING (EXISTS (SELECT 1 FROM ralph_mem.item AS i WHERE i.team = item_vector.team AND i.id = item_vector.id
                AND i.edited_by = current_user))
            WITH CHECK (EXISTS (SELECT 1 FROM ralph_mem.item AS i
                JOIN ralph_mem.member AS m ON m.team = i.team AND m.login = current_user
                WHERE i.team = item_vector.team AND i.id = item_vector.id AND i.rev = item_vector.rev
                AND i.edited_by = current_user AND m.role IN ('writer', 'reviewer')));
    END IF;
END $$;
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = 'ralph_mem.item_vector'::regclass AND polname = 'unlocked') THEN
        -- Of what is locked nobody is told the meaning: what came before the key goes with the change of keys.
        CREATE POLICY unlocked ON ralph_mem.item_vector AS RESTRICTIVE FOR INSERT TO ralph_mem_member
            WITH CHECK ((SELECT t.key FROM ralph_mem.team AS t WHERE t.name = item_vector.team) IS NULL);
        GRANT DELETE ON ralph_mem.item_vector TO ralph_mem_member;
        CREATE POLICY dropped ON ralph_mem.item_vector FOR DELETE TO ralph_mem_member
            USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m
                WHERE m.team = item_vector.team AND m.login = current_user AND m.role = 'reviewer'));
    END IF;
END $$;

-- A team with a key takes nothing that its server could read, whoever sends it. `key` says which one and opens nothing; each item
-- has that of the key that locked it, by which a change of keys that was cut short is found and finished.
ALTER TABLE ralph_mem.team ADD COLUMN key text CHECK (key ~ '^[0-9a-f]{16}$');
ALTER TABLE ralph_mem.item ADD COLUMN key text;
GRANT INSERT (key), UPDATE (key) ON ralph_mem.item TO ralph_mem_member;
GRANT UPDATE (key) ON ralph_mem.team TO ralph_mem_member;
CREATE POLICY keyed ON ralph_mem.team FOR UPDATE TO ralph_mem_member
    USING (EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = name AND m.login = current_user AND m.role = 'reviewer'))
    WITH CHECK (key IS NOT NULL);

CREATE FUNCTION ralph_mem.locked() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE wanted text := (SELECT t.key FROM ralph_mem.team AS t WHERE t.name = NEW.team);
BEGIN
    IF wanted IS NOT NULL AND (NEW.key IS DISTINCT FROM wanted
            OR NEW.body !~ '^-----BEGIN AGE ENCRYPTED FILE-----\n[A-Za-z0-9+/=\n]+-----END AGE ENCRYPTED FILE-----\n?$') THEN
        RAISE EXCEPTION 'team % takes what its key has locked, and nothing else', NEW.team USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER locked BEFORE INSERT OR UPDATE OF body, key ON ralph_mem.item FOR EACH ROW EXECUTE FUNCTION ralph_mem.locked();

-- What a reviewer locks with another key says what it said: no revision, of nobody's, on which an edit could not be based.
CREATE OR REPLACE FUNCTION ralph_mem.revise() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF NEW.key IS DISTINCT FROM OLD.key AND NEW.state = OLD.state AND EXISTS (SELECT 1 FROM ralph_mem.member AS m
            WHERE m.team = NEW.team AND m.login = current_user AND m.role = 'reviewer') THEN
        RETURN NEW;
    END IF;
    NEW.updated := now();
    IF NEW.body IS DISTINCT FROM OLD.body THEN
        NEW.rev := OLD.rev + 1;
        NEW.edited_by := current_user;
    END IF;
    RETURN NEW;
END $$;

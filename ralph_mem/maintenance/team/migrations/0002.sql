-- Full text at the server. A policy on each row keeps an index from being used, so one function looks into it as the owner, for the
-- team of a member alone, and returns ids: the rows are read under the policies of who asks.
ALTER TABLE ralph_mem.item ADD COLUMN words tsvector
    GENERATED ALWAYS AS (to_tsvector('english', substring(body FROM E'\n---\n(.*)$'))) STORED;
CREATE INDEX item_words ON ralph_mem.item USING gin (words);

CREATE FUNCTION ralph_mem.found(of_team text, asked text, most integer) RETURNS TABLE (id text, rank real)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT i.id, ts_rank(i.words, q) FROM ralph_mem.item AS i, websearch_to_tsquery('english', asked) AS q
    WHERE i.team = of_team AND i.state = 'accepted' AND i.words @@ q
        AND EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = of_team AND m.login = session_user)
    ORDER BY 2 DESC, 1 LIMIT least(greatest(most, 0), 100)
$$;
REVOKE ALL ON FUNCTION ralph_mem.found(text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ralph_mem.found(text, text, integer) TO ralph_mem_member;

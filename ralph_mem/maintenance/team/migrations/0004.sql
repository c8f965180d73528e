-- Words that many items hold tell none of them apart, and to rank them all takes seconds: 2,000 of them are looked at.
CREATE OR REPLACE FUNCTION ralph_mem.found(of_team text, asked text, most integer) RETURNS TABLE (id text, rank real)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT i.id, ts_rank(i.words, websearch_to_tsquery('english', asked)) FROM (
        SELECT each.id, each.words FROM ralph_mem.item AS each
        WHERE each.team = of_team AND each.state = 'accepted' AND each.words @@ websearch_to_tsquery('english', asked)
            AND EXISTS (SELECT 1 FROM ralph_mem.member AS m WHERE m.team = of_team AND m.login = session_user)
        LIMIT 2000
    ) AS i ORDER BY 2 DESC, 1 LIMIT least(greatest(most, 0), 100)
$$;

-- Suggestions are found by names as people type them: any case, with or without accents, dashes and spaces, by a beginning. A name is
-- indexed by all that it ends with, from each of its words on, written as one word: "Nwosu-Brandt" as "nwosubrandt" and "brandt",
-- "NR-3021" as "nr3021" and "3021". The functions look at nothing but their argument, not at the database's collation either, so that an
-- index of them stays right when a database is moved; and they need no extension.
--
-- The long expression below is what stands between words: spaces, signs and punctuation. Figures begin a word of their own, and so does
-- each Chinese character.

-- A name in small letters, without accents and vowel marks, Greek and Cyrillic among them.
CREATE FUNCTION reports_fold(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT translate(
        lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652]+', '', 'g') COLLATE "C"),
        'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯςßøØłŁđĐıæÆœŒ',
        'αβγδεζηθικλμνξοπρστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяσsoollddiaaoo'
    )
$$;

-- What names are found by. Dear to make again, hence the cost: an index is to be used, which is quicker than parallel workers, too.
CREATE FUNCTION reports_terms(provider text, client text, conversation text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL RESTRICTED COST 1000 AS $$
    SELECT coalesce(array_to_tsvector(array_agg(left(array_to_string(words[place:], ''), 40))), ''::tsvector)
    FROM regexp_split_to_array(
            regexp_replace(
                public.reports_fold(concat_ws(' ', provider, client, nullif(conversation, client))),
                '([0-9]+|[\u3400-\u9fff])', ' \1 ', 'g'
            ),
            '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020]+'
        ) AS words,
        generate_subscripts(words, 1) AS place
    WHERE words[place] <> ''
$$;

-- What is typed, as a query: all of its words as beginnings, without titles, or the whole as the beginning of one word.
CREATE FUNCTION reports_query(words text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT nullif(concat_ws(' | ',
        (SELECT string_agg(format('''%s'':*', left(word, 40)), ' & ')
            FROM (SELECT regexp_replace(
                    part,
                    '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020]+',
                    '', 'g'
                ) AS word
                FROM regexp_split_to_table(public.reports_fold(words), '\s+') AS part LIMIT 20) AS parts
            WHERE word NOT IN ('', 'dr', 'mr', 'mrs', 'ms', 'prof')),
        (SELECT format('''%s'':*', left(whole, 40))
            FROM regexp_replace(
                public.reports_fold(words),
                '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020]+',
                '', 'g'
            ) AS whole WHERE whole <> '')
    ), '')::tsquery
$$;

-- How a word of a name sounds, roughly: its consonants, alike for letters that are heard alike, after "a" for a vowel at its beginning.
CREATE FUNCTION reports_sound(word text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT regexp_replace(left(sounds, 1) || regexp_replace(substr(sounds, 2), '[aeiouhyw]+', '', 'g'), '(.)\1+', '\1', 'g')
    FROM regexp_replace(word, '^(kn|gn|pn)', 'n') AS a, regexp_replace(a, '^wr', 'r') AS b,
        regexp_replace(b, 'ph', 'f', 'g') AS c, regexp_replace(c, 'tsch|sch|sh|tch|cz', 's', 'g') AS d,
        regexp_replace(d, '(dg|g)(?=[eiy])', 'j', 'g') AS e, regexp_replace(e, 'c(?=[eiy])', 's', 'g') AS f,
        regexp_replace(f, 'gh|dt|th', 't', 'g') AS g, regexp_replace(g, 'ck|qu|ch', 'k', 'g') AS h,
        regexp_replace(h, 'x', 'ks', 'g') AS i, translate(i, 'cqzvwdb', 'kksfftp') AS j,
        regexp_replace(j, '^[aeiouhy]+', 'a') AS sounds
$$;

-- What a word is near to: itself and each word that one letter less leaves, so that two words with one letter lost, added, changed or
-- swapped have a key in common; and its sound. Words with figures, and very short ones, are near to nothing.
CREATE FUNCTION reports_near_word(word text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT 'd' || overlay(word PLACING '' FROM place FOR 1) FROM generate_series(1, length(word)) AS place
        UNION SELECT 'd' || word
        UNION SELECT 's' || public.reports_sound(word) WHERE length(public.reports_sound(word)) > 2
    ) WHERE length(word) BETWEEN 3 AND 40 AND word !~ '[0-9]'
$$;

-- The words of a name that it may be misspelt in; "O'Brien" is one.
CREATE FUNCTION reports_near_words(name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT word FROM regexp_split_to_table(
        regexp_replace(public.reports_fold(name), '[\u0027\u2019]', '', 'g'),
        '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2588\u2e00-\u2e7f\u3000-\u3020]+'
    ) AS word WHERE length(word) > 2 AND word NOT IN ('prof', 'mrs') LIMIT 12
$$;

-- What a name is found by where it is misspelt.
CREATE FUNCTION reports_near(provider text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
    SELECT coalesce(array_to_tsvector(array_agg(DISTINCT key)), ''::tsvector)
    FROM public.reports_near_words(provider) AS word, unnest(public.reports_near_word(word)) AS key
$$;

-- What is typed, as a query for names near it: each of its words, or with `is_any` one of them.
CREATE FUNCTION reports_near_query(words text, is_any boolean) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg('(' || keys || ')', CASE WHEN is_any THEN ' | ' ELSE ' & ' END)::tsquery
    FROM public.reports_near_words(words) AS word,
        LATERAL (SELECT string_agg('''' || key || '''', ' | ') AS keys FROM unnest(public.reports_near_word(word)) AS key) AS of_word
    WHERE keys IS NOT NULL
$$;

-- Keep the names of a suggestion beside it, so that the index behind row-level security needs no function of ours.
-- Names as they may be misspelt are kept once for each provider, beside the first suggestion of them; where that is redacted, beside another.
-- Suggestions of one statement all see one another, so the first is the one whose names came before the others'.
CREATE FUNCTION reports_keep_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM public.reports_suggestionnames WHERE snapshot_id = NEW.id;
        IF OLD.provider NOT IN ('', NEW.provider) THEN
            SELECT id INTO heir FROM public.snapshots_snapshot
                WHERE organisation_id = OLD.organisation_id AND provider = OLD.provider AND id <> OLD.id ORDER BY id LIMIT 1;
            UPDATE public.reports_suggestionnames SET near = public.reports_near(OLD.provider) WHERE snapshot_id = heir AND near IS NULL;
        END IF;
    END IF;
    IF NEW.provider <> '' THEN
        INSERT INTO public.reports_suggestionnames (snapshot_id, organisation_id, terms, near)
        VALUES (
            NEW.id, NEW.organisation_id, public.reports_terms(NEW.provider, NEW.client_reference, NEW.conversation_id),
            CASE WHEN TG_OP = 'UPDATE' OR NOT EXISTS (
                SELECT FROM public.snapshots_snapshot AS other
                WHERE other.organisation_id = NEW.organisation_id AND other.provider = NEW.provider AND other.id <> NEW.id
                    AND (SELECT near IS NOT NULL FROM public.reports_suggestionnames AS names WHERE names.snapshot_id = other.id)
            ) THEN public.reports_near(NEW.provider) END
        );
    END IF;
    RETURN NULL;
END $$;

-- Names are kept when a suggestion comes.
CREATE TRIGGER reports_names_come AFTER INSERT ON snapshots_snapshot
    FOR EACH ROW WHEN (NEW.provider <> '') EXECUTE FUNCTION reports_keep_names();

-- Names go, or become others, when a part of the suggestion is redacted.
CREATE TRIGGER reports_names_change AFTER UPDATE OF provider, client_reference, conversation_id ON snapshots_snapshot
    FOR EACH ROW EXECUTE FUNCTION reports_keep_names();

-- For the list without a search, the newest first.
CREATE INDEX reports_by_time ON snapshots_snapshot (organisation_id, answered_at, id) WHERE provider <> '';

-- For suggestions of one conversation.
CREATE INDEX reports_by_conversation ON snapshots_snapshot (organisation_id, conversation_id, answered_at) WHERE provider <> '';

-- For the names that are near to what is typed: one suggestion of each provider.
CREATE INDEX reports_by_provider ON snapshots_snapshot (organisation_id, provider, id) WHERE provider <> '';

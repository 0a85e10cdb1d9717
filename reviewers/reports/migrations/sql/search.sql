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

-- Keep the names of a suggestion beside it, so that the index behind row-level security needs no function of ours.
CREATE FUNCTION reports_keep_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM public.reports_suggestionnames WHERE snapshot_id = NEW.id;
    END IF;
    IF NEW.provider <> '' THEN
        INSERT INTO public.reports_suggestionnames (snapshot_id, organisation_id, terms)
        VALUES (NEW.id, NEW.organisation_id, public.reports_terms(NEW.provider, NEW.client_reference, NEW.conversation_id));
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

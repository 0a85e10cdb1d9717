"""Suggestions are found by names as people type them: any case, with or without accents, dashes and spaces, by a beginning.

A name is indexed by all that it ends with, from each of its words on, written as one word: "Nwosu-Brandt" as "nwosubrandt" and
"brandt", "NR-3021" as "nr3021" and "3021". What is typed is found as the beginning of one of these. The functions look at nothing but
their argument, not at the collation of the database either, so that an index of them stays right when a database is moved; and they
need no extension, which an embedded server may lack.
"""

from django.db import migrations

_CAPITALS = "".join(map(chr, [*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x410, 0x430)]))
_LETTERS = {"ς": "σ", "ß": "s", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "æ": "a", "Æ": "a", "œ": "o", "Œ": "o"}

FOLD = rf"""
CREATE FUNCTION reports_fold(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT translate(
        lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652]+', '', 'g') COLLATE "C"),
        '{_CAPITALS}{"".join(_LETTERS)}', '{_CAPITALS.lower()}{"".join(_LETTERS.values())}'
    )
$$;
"""

_BETWEEN = r"[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020]+"
_APART = r"([0-9]+|[\u3400-\u9fff])"
"""Figures begin a word of their own, and so does each Chinese character."""

# The terms of a name are dear to make again, so an index is to be used; starting parallel workers takes longer than using it.

TERMS = rf"""
CREATE FUNCTION reports_terms(provider text, client text, conversation text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL RESTRICTED COST 1000 AS $$
    SELECT coalesce(array_to_tsvector(array_agg(left(array_to_string(words[place:], ''), 40))), ''::tsvector)
    FROM regexp_split_to_array(
            regexp_replace(
                public.reports_fold(concat_ws(' ', provider, client, nullif(conversation, client))), '{_APART}', ' \1 ', 'g'
            ), '{_BETWEEN}'
        ) AS words,
        generate_subscripts(words, 1) AS place
    WHERE words[place] <> ''
$$;
"""

QUERY = rf"""
CREATE FUNCTION reports_query(words text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT nullif(concat_ws(' | ',
        (SELECT string_agg(format('''%s'':*', left(word, 40)), ' & ')
            FROM (SELECT regexp_replace(part, '{_BETWEEN}', '', 'g') AS word
                FROM regexp_split_to_table(public.reports_fold(words), '\s+') AS part LIMIT 20) AS parts
            WHERE word NOT IN ('', 'dr', 'mr', 'mrs', 'ms', 'prof')),
        (SELECT format('''%s'':*', left(whole, 40))
            FROM regexp_replace(public.reports_fold(words), '{_BETWEEN}', '', 'g') AS whole WHERE whole <> '')
    ), '')::tsquery
$$;
"""

INDEX = """
CREATE INDEX reports_by_name ON snapshots_snapshot USING gin (reports_terms(provider, client_reference, conversation_id))
    WITH (gin_pending_list_limit = 256) WHERE provider <> '';
CREATE INDEX reports_by_time ON snapshots_snapshot (organisation_id, answered_at, id) WHERE provider <> '';
CREATE INDEX reports_by_conversation ON snapshots_snapshot (organisation_id, conversation_id, answered_at) WHERE provider <> '';
"""

UNDO = """
DROP INDEX reports_by_conversation;
DROP INDEX reports_by_time;
DROP INDEX reports_by_name;
DROP FUNCTION reports_query;
DROP FUNCTION reports_terms;
DROP FUNCTION reports_fold;
"""


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0002_documents"), ("review", "0002_queue")]

    operations = [migrations.RunSQL(FOLD + TERMS + QUERY + INDEX, UNDO)]

"""Answers are counted as they come in and as they change: each statement writes what it changed as deltas, and waits for nobody.

Triggers rather than Python, so that however an answer or a label comes in it is counted, and so that the slices below need not know of
it. All run once a statement, over all its rows. Answers that are there already are counted here.
"""

from django.db import migrations

FACETS = {
    "by_citation": "source:citation",
    "by_mixed": "source:mixed",
    "by_heuristic": "source:heuristic",
    "by_none": "source:none",
    "contradicted": "guardrail:contradicted",
    "unknown": "guardrail:unknown",
    "absent": "guardrail:absent",
    "hidden": "guardrail:hidden",
    "ambiguous": "guardrail:ambiguous",
    "echoed": "guardrail:echoed",
    "quoted": "guardrail:quoted",
    "malformed": "guardrail:malformed",
    "duplicate": "guardrail:duplicate",
    "over_cited": "guardrail:over_cited",
    "withheld": "answer:withheld",
    "repaired": "answer:repaired",
}
FIGURES = {name: f"'{facet}' = ANY(facets)" for name, facet in FACETS.items()} | {
    "documented": "facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']",
    "citing": "facets && ARRAY['validity:green', 'validity:yellow'] AND NOT facets && ARRAY['answer:withheld', 'answer:repaired']",
    "submitted": "state = 'submitted'",
    "blind": "is_blind AND phase = 'independent'",
}

OF_ITEM = """
CREATE FUNCTION quality_named(facets text[], kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce((SELECT substr(facet, length(kind) + 1) FROM unnest(facets) AS facet WHERE starts_with(facet, kind) LIMIT 1), '')
$$;
"""

_KEY = """
    changed.organisation_id, quality_named(changed.facets, 'model:') AS model, quality_named(changed.facets, 'prompt:') AS prompt_version,
    (changed.answered_at AT TIME ZONE 'UTC')::date AS day
"""

COUNT = f"""
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, answers, {", ".join(FIGURES)})
    SELECT * FROM (
        SELECT {_KEY}, '', sum(sign) AS answers,
            {", ".join(f"coalesce(sum(sign) FILTER (WHERE {rule}), 0) AS {name}" for name, rule in FIGURES.items())}
        FROM ({{changed}}) AS changed GROUP BY 1, 2, 3, 4
    ) AS counted WHERE ({", ".join(["answers", *FIGURES])}) <> ({", ".join("0" for _ in ["answers", *FIGURES])});

    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, answers, given)
    SELECT organisation_id, model, prompt_version, day, section, sum(drawn), sum(given) FROM (
        SELECT {_KEY}, substr(facet, 9) AS section, sign AS drawn, 0 AS given
        FROM ({{changed}}) AS changed, unnest(changed.facets) AS facet WHERE starts_with(facet, 'section:')
        UNION ALL
        SELECT {_KEY}, section, 0, sign
        FROM ({{changed}}) AS changed JOIN snapshots_snapshot AS snapshot ON snapshot.id = changed.snapshot_id,
            unnest(snapshot.given_sections) AS section
    ) AS counted GROUP BY 1, 2, 3, 4, 5 HAVING sum(drawn) <> 0 OR sum(given) <> 0;
"""

_COLUMNS = "organisation_id, snapshot_id, answered_at, state, facets, is_blind, phase"
ADDED = f"SELECT 1 AS sign, {_COLUMNS} FROM queued"
ALTERED = """
        SELECT -1 AS sign, {before} FROM before JOIN after USING (snapshot_id) WHERE {differs}
        UNION ALL
        SELECT 1, {after} FROM before JOIN after USING (snapshot_id) WHERE {differs}
""".format(
    before=", ".join("snapshot_id" if name == "snapshot_id" else f"before.{name}" for name in _COLUMNS.split(", ")),
    after=", ".join("snapshot_id" if name == "snapshot_id" else f"after.{name}" for name in _COLUMNS.split(", ")),
    differs="(before.facets, before.state, before.is_blind, before.phase, before.answered_at) IS DISTINCT FROM "
    "(after.facets, after.state, after.is_blind, after.phase, after.answered_at)",
)

ITEMS = f"""
CREATE FUNCTION quality_count_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {COUNT.format(changed=ADDED)}
    RETURN NULL;
END $$;

CREATE TRIGGER count_quality AFTER INSERT ON review_queueitem
    REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION quality_count_new();

CREATE FUNCTION quality_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {COUNT.format(changed=ALTERED)}
    RETURN NULL;
END $$;

CREATE TRIGGER recount_quality AFTER UPDATE ON review_queueitem
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION quality_count_changed();
"""

COUNT_LABELS = f"""
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, labels)
    SELECT {_KEY}, '', sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int)
    FROM {{labelled}} AS label JOIN review_queueitem AS changed ON changed.snapshot_id = label.snapshot_id
        LEFT JOIN {{labels}} AS replaced ON replaced.id = label.replaces_id
    GROUP BY 1, 2, 3, 4 HAVING sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int) <> 0;
"""

LABELS = "".join(
    f"""
CREATE FUNCTION quality_{name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {COUNT_LABELS.format(labelled="labelled", labels=table)}
    RETURN NULL;
END $$;

CREATE TRIGGER {name} AFTER INSERT ON {table}
    REFERENCING NEW TABLE AS labelled FOR EACH STATEMENT EXECUTE FUNCTION quality_{name}();
"""
    for name, table in (("count_labels", "review_label"), ("count_citation_labels", "review_citationlabel"))
)

FIRST_FOUND = """
    SELECT DISTINCT search.attribution_id FROM {results} AS result
    JOIN snapshots_citationsearch AS search ON search.id = result.search_id
    WHERE result.outcome = 'found' AND NOT EXISTS (
        SELECT FROM snapshots_citationsearch AS other JOIN snapshots_citationsearchresult AS earlier ON earlier.search_id = other.id
        WHERE other.attribution_id = search.attribution_id AND other.number < search.number AND earlier.outcome = 'found'
    )
"""

COUNT_FOUND = f"""
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, found_afterwards)
    SELECT {_KEY}, '', count(*) FROM ({FIRST_FOUND}) AS found
    JOIN review_queueitem AS changed ON changed.attribution_id = found.attribution_id GROUP BY 1, 2, 3, 4;
"""

SEARCHES = f"""
CREATE FUNCTION quality_count_found() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {COUNT_FOUND.format(results="ended")}
    RETURN NULL;
END $$;

CREATE TRIGGER count_found AFTER INSERT ON snapshots_citationsearchresult
    REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION quality_count_found();
"""

THOSE_THERE = (
    COUNT.format(changed=f"SELECT 1 AS sign, {_COLUMNS} FROM review_queueitem")
    + COUNT_LABELS.format(labelled="review_label", labels="review_label")
    + COUNT_LABELS.format(labelled="review_citationlabel", labels="review_citationlabel")
    + COUNT_FOUND.format(results="snapshots_citationsearchresult")
)

UNDO = """
DROP TRIGGER count_found ON snapshots_citationsearchresult;
DROP FUNCTION quality_count_found;
DROP TRIGGER count_citation_labels ON review_citationlabel;
DROP FUNCTION quality_count_citation_labels;
DROP TRIGGER count_labels ON review_label;
DROP FUNCTION quality_count_labels;
DROP TRIGGER recount_quality ON review_queueitem;
DROP FUNCTION quality_count_changed;
DROP TRIGGER count_quality ON review_queueitem;
DROP FUNCTION quality_count_new;
DROP FUNCTION quality_named;
DELETE FROM quality_delta;
DELETE FROM quality_daytotal;
"""


class Migration(migrations.Migration):
    dependencies = [("quality", "0001_initial"), ("review", "0007_signatures"), ("snapshots", "0004_given_sections")]

    operations = [migrations.RunSQL(OF_ITEM + ITEMS + LABELS + SEARCHES + THOSE_THERE, UNDO)]

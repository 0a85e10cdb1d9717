"""References of a record, and what came with it and is not read, are parts that a redaction may take as well.

The rules of ``0007_only_by_nothing`` stay as they are, under the names ``…_texts``: these here stand before them. A reference that was
proposed has to be bars in the record afterwards, and nothing in its column: records are grouped by clients and conversations, and those
of many people must not become one person's. A provider's column has bars, for a suggestion without a provider is none.
"""

from django.db import migrations

BARS = "█████"
REFERENCES = "ARRAY['client_reference', 'conversation_id', 'provider']"
READ = (
    "ARRAY['id', 'response', 'user_text', 'context', 'documents', 'tool_calls', 'citations', 'native', 'abstention_reason', "
    "'client_reference', 'conversation_id', 'provider', 'model', 'prompt_version', 'schema_version', 'turn_index', 'answered_at', "
    "'hidden_sections', 'completeness', 'completeness_threshold', 'citation_instruction']"
)

EXPECTED = f"""
CREATE FUNCTION redaction_without_names(record jsonb, parts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(key, CASE
        WHEN key = ANY ({REFERENCES}) AND parts ? key THEN to_jsonb('{BARS}'::text)
        ELSE value
    END), '{{}}') FROM jsonb_each(record) WHERE key = ANY ({READ}) OR NOT parts ? 'rest'
$$;
"""

RULE = f"""
ALTER FUNCTION redaction_allows RENAME TO redaction_allows_texts;

CREATE FUNCTION redaction_allows(target text, name text, before jsonb, after jsonb, parts jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(CASE target || '.' || name
        WHEN 'snapshots_snapshot.client_reference' THEN parts ? name AND after = '""'
        WHEN 'snapshots_snapshot.conversation_id' THEN parts ? name AND after = '""'
        WHEN 'snapshots_snapshot.provider' THEN parts ? name AND after = '"{BARS}"'
        WHEN 'snapshots_snapshot.record' THEN redaction_only_bars(
            redaction_without_names(redaction_readable((before #>> '{{}}')::bytea), parts),
            redaction_readable((after #>> '{{}}')::bytea), '{{}}', parts)
        ELSE redaction_allows_texts(target, name, before, after, parts)
    END, false)
$$;
"""

WHOSE = f"""
ALTER FUNCTION redaction_concerns RENAME TO redaction_concerns_texts;

CREATE FUNCTION redaction_concerns(target text, target_key uuid, object uuid, parts jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    -- The rows that a part of the record concerns, whichever it is.
    SELECT redaction_concerns_texts(target, target_key, object,
        CASE WHEN parts ?| {REFERENCES} OR parts ? 'rest' THEN parts || '["response"]' ELSE parts END)
$$;
"""

UNDO = """
DROP FUNCTION redaction_concerns;
ALTER FUNCTION redaction_concerns_texts RENAME TO redaction_concerns;
DROP FUNCTION redaction_allows;
ALTER FUNCTION redaction_allows_texts RENAME TO redaction_allows;
DROP FUNCTION redaction_without_names;
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0008_two_people")]

    operations = [migrations.RunSQL([(each, None) for each in (EXPECTED, RULE, WHOSE)], UNDO)]

"""What ``check --deploy --database default`` says of the database: whether the wall between organisations stands, and costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Advice
from django.db import connections

from reviewers.web.databases import DEFAULT

_STANDS_ABOVE = """
SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner = r.oid)
FROM pg_roles AS r WHERE rolname = current_user
"""
_MAY_TELL = """
SELECT count(*) FROM pg_proc WHERE NOT proleakproof
AND oid IN ('arrayoverlap(anyarray, anyarray)'::regprocedure, 'ts_match_vq(tsvector, tsquery)'::regprocedure)
"""

ABOVE = Error(
    "The database role of the web owns tables or may pass row-level security: nothing but the queries keeps organisations apart.",
    hint="Name a role that owns nothing in DATABASE_URL, and the owner in DATABASE_OWNER_URL.",
    id="footnote.E001",
)
SLOW = Advice(
    "Filters and search read an organisation's items one by one: PostgreSQL does not know that what they compare with tells nothing.",
    hint="README says which statement a superuser runs once.",
    id="footnote.W001",
)


def check_wall(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Ask the database that the web uses, where it is among those to be checked."""
    if not databases or DEFAULT not in databases:
        return []
    with connections[DEFAULT].cursor() as cursor:
        answers = []
        for question in (_STANDS_ABOVE, _MAY_TELL):
            cursor.execute(question)
            answers.append(cursor.fetchone()[0])
    return [message for message, answer in zip((ABOVE, SLOW), answers, strict=True) if answer]

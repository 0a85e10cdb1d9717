"""What ``check --deploy --database default`` says: of hosts, and of the wall between organisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
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

ANY_HOST = Error(
    "FOOTNOTE_HOSTS takes any host name: whoever writes a request's Host header chooses where the site believes it is.",
    hint="Name each host under which people open the site.",
    id="footnote.E002",
)


def check_hosts(**_: Any) -> list[CheckMessage]:
    """Look whether hosts are named."""
    return [ANY_HOST] if "*" in settings.ALLOWED_HOSTS else []


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

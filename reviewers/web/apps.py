"""The Django app of what slices share, and its deployment checks: of hosts, and of row-level security."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Advice
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

from reviewers.web import config
from reviewers.web.config import DEFAULT
from reviewers.web.tenancy import tenant

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
    """Check that hosts are named."""
    return [ANY_HOST] if "*" in settings.ALLOWED_HOSTS else []


def check_row_level_security(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check the database role of the web, if its database is among those to be checked."""
    if not databases or DEFAULT not in databases:
        return []
    with connections[DEFAULT].cursor() as cursor:
        answers = []
        for question in (_STANDS_ABOVE, _MAY_TELL):
            cursor.execute(question)
            answers.append(cursor.fetchone()[0])
    return [message for message, answer in zip((ABOVE, SLOW), answers, strict=True) if answer]


class WebConfig(AppConfig):
    """Code that all slices share."""

    name = "reviewers.web"

    def ready(self) -> None:
        """Grant the web's role its rights after each migration, install the tenant on connections, and register the checks."""
        post_migrate.connect(_grant, sender=self, dispatch_uid="grants")
        connection_created.connect(tenant.install, dispatch_uid="walls")
        register(check_hosts, Tags.security, deploy=True)
        register(check_row_level_security, Tags.database, deploy=True)


def _grant(*, using: str, **_: object) -> None:
    """Grant rights once all migrations have run: Django sends this signal for each app then."""
    from reviewers.web.tenancy.row_level_security import grant_web_role  # noqa: PLC0415 — models are not loaded before

    if using == config.OWNER:
        grant_web_role(using)

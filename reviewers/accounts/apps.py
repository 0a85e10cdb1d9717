"""The Django app of the accounts slice."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings
from django.db import connections
from django.db.models.signals import post_migrate

from reviewers.web import config

_TERMS = """
CREATE OR REPLACE FUNCTION two_people_terms(OUT apart interval, OUT strong boolean) LANGUAGE sql IMMUTABLE
AS $$ SELECT interval '{days} days', {strong} $$
"""


class AccountsConfig(AppConfig):
    """Organisations, members, roles, service keys and sign-in."""

    name = "reviewers.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        """Connect the sign-in receivers; after each migration set the terms of "by two people" in the database."""
        post_migrate.connect(_set_terms, sender=self, dispatch_uid="two people")
        from reviewers.accounts.sign_in import receivers  # noqa: F401, PLC0415 — connects its receivers


def _set_terms(*, using: str, **_: object) -> None:
    if using != config.OWNER:
        return
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT to_regproc('two_people_terms')")
        if cursor.fetchone()[0] is not None:  # it is missing while only other apps are migrated
            cursor.execute(_TERMS.format(days=settings.TWO_PEOPLE_APART.days, strong=str(settings.SECOND_FACTOR_REQUIRED).lower()))

"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

from reviewers.web import databases, walls
from reviewers.web.checks import check_hosts, check_wall


class WebConfig(AppConfig):
    """What the slices share."""

    name = "reviewers.web"

    def ready(self) -> None:
        """After each migration the web's role gets its rights, and no more; a deployment can ask whether they hold."""
        post_migrate.connect(_grant, sender=self, dispatch_uid="grants")
        connection_created.connect(walls.install, dispatch_uid="walls")
        register(check_hosts, Tags.security, deploy=True)
        register(check_wall, Tags.database, deploy=True)


def _grant(*, using: str, **_: object) -> None:
    """Once all migrations are through, of whichever app: Django tells each app then."""
    from reviewers.web.grants import grant_web_role  # noqa: PLC0415 — models are not loaded while apps are

    if using == databases.OWNER:
        grant_web_role(using)

"""``manage.py migrate``: run migrations as the owner of the tables, which the web is not."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as DjangoCommand

from reviewers.web import config


class Command(DjangoCommand):
    """Django's own command with another default database."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database=config.OWNER)

"""``manage.py add_member EMAIL …``: a person with a role, and the first organisation of a new house."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.utils import timezone

from reviewers.accounts.actions import add_member, create_organisation
from reviewers.accounts.models import Membership, Organisation, Role, User
from reviewers.web import walls


class Command(BaseCommand):
    help = "Give a person a role in an organisation. A person who is new gets a passphrase, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--name", required=True, help="the printed name; that of somebody known stays as it is")
        parser.add_argument("--role", required=True, help=", ".join(Role.values))
        parser.add_argument("--organisation", required=True, metavar="SLUG")
        parser.add_argument("--organisation-name", metavar="NAME", help="makes the organisation if there is none of this slug")

    @transaction.atomic
    def handle(self, *, email: str, name: str, role: str, organisation: str, organisation_name: str | None, **options: Any) -> None:
        del options
        if role not in Role.values:
            raise CommandError(f"There is no role {role}. Roles are {', '.join(Role.values)}.")
        belongs_to = _find_organisation(organisation, organisation_name)
        user, passphrase = _find_user(email, name)
        held = Membership.objects.filter(organisation=belongs_to, user=user, ended_at=None).first()
        if held is not None:
            raise CommandError(f"{user.email} is a member of {belongs_to.slug} already, as {held.role}.")
        with walls.within(belongs_to.pk):
            add_member(organisation=belongs_to, user=user, role=role, at=timezone.now())
        self.stdout.write(f"{user.name} <{user.email}> is now {Role(role).label.lower()} at {belongs_to.name}.")
        if passphrase:
            self.stdout.write(f"Passphrase, shown this once: {passphrase}")


def _find_organisation(slug: str, name: str | None) -> Organisation:
    found = Organisation.objects.filter(slug=slug).first()
    if found is not None:
        return found
    if not name:
        raise CommandError(f"There is no organisation {slug}. Make it with --organisation-name NAME.")
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise CommandError(f"{slug} is no slug: letters, digits, hyphens and underscores only.") from error
    return create_organisation(slug=slug, name=name, at=timezone.now())


def _find_user(email: str, name: str) -> tuple[User, str]:
    """Whoever has the address, else a new person with a passphrase made up here."""
    found = User.objects.filter(email=email.strip().lower()).first()
    if found is not None:
        if not found.is_active:
            raise CommandError(f"The account of {found.email} is closed.")
        return found, ""
    try:
        validate_email(email.strip())
    except ValidationError as error:
        raise CommandError(f"{email} is no e-mail address.") from error
    passphrase = "-".join(secrets.token_hex(3) for _ in range(4))
    return User.objects.create_user(email=email.strip(), name=name, password=passphrase), passphrase

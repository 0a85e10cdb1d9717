"""``manage.py add_member EMAIL …``: invite a person from the command line, and create the first organisation of a deployment."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.utils import timezone

from reviewers.accounts.actions import create_organisation
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import invite
from reviewers.accounts.models import Organisation, Role
from reviewers.accounts.policies import Refused
from reviewers.accounts.queries import link_of
from reviewers.web.tenancy import tenant


class Command(BaseCommand):
    help = "Invite a person into an organisation. Prints the link on which they accept; hand it to nobody else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--role", required=True, help=", ".join(Role.values))
        parser.add_argument("--organisation", required=True, metavar="SLUG")
        parser.add_argument("--organisation-name", metavar="NAME", help="makes the organisation if there is none of this slug")

    @transaction.atomic
    def handle(self, *, email: str, role: str, organisation: str, organisation_name: str | None, **options: Any) -> None:
        del options
        if role not in Role.values:
            raise CommandError(f"There is no role {role}. Roles are {', '.join(Role.values)}.")
        try:
            validate_email(email.strip())
        except ValidationError as error:
            raise CommandError(f"{email} is no e-mail address.") from error
        belongs_to = _find_organisation(organisation, organisation_name)
        try:
            with tenant.within(belongs_to.pk):
                invitation = invite(organisation=belongs_to, email=email, role=role, at=timezone.now(), by=SYSTEM)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        until = timezone.localtime(invitation.expires_at).strftime("%Y-%m-%d %H:%M %Z")
        self.stdout.write(f"{invitation.email} is invited to {belongs_to.name} as {Role(role).label.lower()}.")
        self.stdout.write(f"The link to accept, which works once and until {until}:\n{link_of(invitation)}")


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

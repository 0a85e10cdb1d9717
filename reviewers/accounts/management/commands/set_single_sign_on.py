"""``manage.py set_single_sign_on SLUG …``: set an organisation's identity provider and the domains it may vouch for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.models import Organisation
from reviewers.accounts.policies import NotConfigured
from reviewers.accounts.single_sign_on.actions import ProviderSettings, remove_provider, set_provider
from reviewers.web.tenancy import tenant

_DOMAIN = re.compile(r"(?=.{4,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.IGNORECASE)


class Command(BaseCommand):
    help = "Set, or with --remove take away, the OpenID Connect provider of an organisation. Make sure that the domains are its own."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organisation", metavar="SLUG")
        parser.add_argument("--name", help="of the provider, as the sign-in page says it")
        parser.add_argument("--issuer", help="as it stands in the provider's own description, such as https://login.example.org")
        parser.add_argument("--client-id")
        parser.add_argument("--secret-file", type=Path, help="a file that holds the client's secret alone")
        parser.add_argument("--domain", action="append", default=[], help="of e-mail addresses; may be given more than once")
        parser.add_argument("--remove", action="store_true", help="trust no provider any more")

    @transaction.atomic
    def handle(self, *, organisation: str, remove: bool, **options: Any) -> None:
        found = Organisation.objects.filter(slug=organisation).first()
        if found is None:
            raise CommandError(f"There is no organisation {organisation}.")
        with tenant.within(found.pk):
            if remove:
                remove_provider(organisation=found, at=timezone.now())
                self.stdout.write(f"{found.name} trusts no identity provider.")
            else:
                self._set(found, options)

    def _set(self, organisation: Organisation, options: dict[str, Any]) -> None:
        names = ("name", "issuer", "client_id", "secret_file", "domain")
        if not all(options[name] for name in names):
            raise CommandError("Needed are --name, --issuer, --client-id, --secret-file and --domain.")
        issuer, domains = options["issuer"], options["domain"]
        if not issuer.startswith("https://") and not (settings.IS_LOCAL and issuer.startswith("http://127.0.0.1:")):
            raise CommandError("The issuer has to begin with https://.")
        if wrong := [domain for domain in domains if not _DOMAIN.fullmatch(domain)]:
            raise CommandError(f"{wrong[0]} is no domain.")
        try:
            secret = options["secret_file"].read_text().strip()
        except (OSError, ValueError) as error:
            raise CommandError("The file of the secret cannot be read.") from error
        try:
            terms = ProviderSettings(options["name"], issuer, options["client_id"], secret, tuple(domains))
            provider = set_provider(organisation=organisation, terms=terms, at=timezone.now())
        except NotConfigured as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{organisation.name} trusts {provider.name} for {', '.join(sorted(domains))}.")
        self.stdout.write(f"The address it sends people back to: {settings.ADDRESS}{reverse('sign_on_return', args=[provider.pk])}")

"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who may come in, and what they may do."""

    name = "reviewers.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        """Signing in and out is announced."""
        from reviewers.accounts import signins  # noqa: F401, PLC0415 — connects its receivers

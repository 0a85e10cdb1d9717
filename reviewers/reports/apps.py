"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Why a provider was suggested."""

    name = "reviewers.reports"
    verbose_name = "Reports"

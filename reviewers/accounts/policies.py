"""What anyone may do as this deployment is set up."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from reviewers.accounts.models import SearchWay


class NotSetUp(Exception):  # noqa: N818 — not an error of anybody's: the deployment lacks something
    """Something cannot be chosen, with the reason in words."""


def check_can_be_chosen(way: SearchWay) -> None:
    """Raise ``NotSetUp`` for a way of looking for citations that this deployment cannot go."""
    if way is SearchWay.MODEL and not endpoint_host():
        raise NotSetUp("No model endpoint is set up in this deployment.")


def can_be_chosen(way: SearchWay) -> bool:
    """Whether ``check_can_be_chosen`` passes."""
    return way is not SearchWay.MODEL or bool(endpoint_host())


def endpoint_host() -> str:
    """The host that answers and sources would be sent to; empty where no endpoint is set up."""
    return urlsplit(settings.MODEL_URL).hostname or ""

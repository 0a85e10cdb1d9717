"""Template tags for navigation."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

register = template.Library()

_HERE, _BELOW = SafeString(' aria-current="page"'), SafeString(' aria-current="true"')


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], name: str) -> SafeString:
    """Return the attribute that marks a link to the open page, or to a page above it; empty for all other links."""
    address, path = reverse(name), context["request"].path
    if path == address:
        return _HERE
    return _BELOW if path.startswith(address) else SafeString("")

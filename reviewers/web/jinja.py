"""The Jinja2 environment that pages are drawn with: its functions and filters."""

from __future__ import annotations

from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest
from django.template.defaultfilters import date, filesizeformat, floatformat, linebreaks_filter, pluralize
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import get_current_timezone_name
from jinja2 import Environment

from reviewers.web import figures, protected_text

_HERE, _BELOW = SafeString(' aria-current="page"'), SafeString(' aria-current="true"')


def environment(**options: Any) -> Environment:
    """Return the environment that the settings name. Everything that a page calls is listed here."""
    made = Environment(**options)  # noqa: S701 — Django passes autoescape=True
    made.globals |= {"static": static, "url": url, "aria_current": aria_current, "time_zone": get_current_timezone_name}
    made.filters |= {
        "bar_between": figures.bar_between,
        "bar_end": figures.bar_end,
        "capfirst": capfirst,
        "date": date,
        "filesizeformat": filesizeformat,
        "floatformat": floatformat,
        "intcomma": intcomma,
        "linebreaks": linebreaks_filter,
        "long_moment": figures.long_moment,
        "moment": figures.moment,
        "percent": figures.percent,
        "plain": protected_text.plain,
        "pluralize": pluralize,
        "score": figures.score,
        "short_digest": figures.short_digest,
        "shown": protected_text.shown,
    }
    return made


def url(name: str, *args: Any, **kwargs: Any) -> str:
    """Return the address of a named route."""
    return reverse(name, args=args, kwargs=kwargs)


def aria_current(request: HttpRequest, name: str) -> SafeString:
    """Return the attribute that marks a link to the open page, or to a page above it; empty for all other links."""
    address = reverse(name)
    if request.path == address:
        return _HERE
    return _BELOW if request.path.startswith(address) else SafeString("")

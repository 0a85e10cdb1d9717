"""The Jinja2 environment that pages are drawn with: its functions, and its filters for numbers and moments."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest
from django.template.defaultfilters import date, filesizeformat, floatformat, linebreaks_filter, pluralize
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import get_current_timezone_name
from jinja2 import Environment

from reviewers.web import protected_text

_HUNDREDTH, _THOUSANDTH = 0.01, 0.001


def score(value: float) -> str:
    """Return a score with two decimals, and a minus sign rather than a hyphen; zero is never negative."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


def moment(value: datetime) -> SafeString:
    """Return ``3 Mar 2026, 19:42`` in the site's time zone, with the full moment as a title."""
    local = timezone.localtime(value)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.isoformat(),
        f"{local:%Y-%m-%d %H:%M:%S %Z}",
        f"{local.day} {local:%b %Y, %H:%M}",
    )


def long_moment(value: datetime) -> SafeString:
    """Return ``Tuesday 3 March 2026 at 19:42 CST``, for reading aloud."""
    local = timezone.localtime(value)
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), f"{local:%A} {local.day} {local:%B %Y at %H:%M %Z}")


def short_digest(value: str) -> str:
    """Return ``sha256:9b3f…c27a``: enough to compare by eye."""
    name, _, digits = value.partition(":")
    return f"{name}:{digits[:6]}…{digits[-4:]}" if len(digits) > 12 else value


def bar_end(share: float) -> str:
    """Return the end of a bar of 84 units for a share."""
    return f"{2 + 80 * share:.1f}"


def bar_between(low: float, high: float) -> str:
    """Return the width of a band on a bar of 84 units, from one share to another."""
    return f"{max(0.0, 80 * (high - low)):.1f}"


def percent(share: float | None) -> str:
    """Return a share in percent, or a dash for None. A share above 0 is never shown as 0%, nor one below 1 as 100%."""
    if share is None:
        return "–"
    if 0 < share < _HUNDREDTH or 1 - _HUNDREDTH < share < 1:
        return f"{share:.1%}" if _THOUSANDTH <= share <= 1 - _THOUSANDTH else ("<0.1%" if share < _HUNDREDTH else ">99.9%")
    return f"{share:.0%}"


_HERE, _BELOW = SafeString(' aria-current="page"'), SafeString(' aria-current="true"')


def environment(**options: Any) -> Environment:
    """Return the environment that the settings name. Everything that a page calls is listed here."""
    made = Environment(**options)  # noqa: S701 — Django passes autoescape=True
    made.globals |= {"static": static, "url": url, "aria_current": aria_current, "time_zone": get_current_timezone_name}
    made.filters |= {
        "bar_between": bar_between,
        "bar_end": bar_end,
        "capfirst": capfirst,
        "date": date,
        "filesizeformat": filesizeformat,
        "floatformat": floatformat,
        "intcomma": intcomma,
        "linebreaks": linebreaks_filter,
        "long_moment": long_moment,
        "moment": moment,
        "percent": percent,
        "plain": protected_text.plain,
        "pluralize": pluralize,
        "score": score,
        "short_digest": short_digest,
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

"""Numbers and moments on a page."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

_HUNDREDTH, _THOUSANDTH = 0.01, 0.001


@register.filter
def score(value: float) -> str:
    """A score with two decimals; nothing is never negative, and what is has a minus, not a hyphen."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


@register.filter
def moment(value: datetime) -> SafeString:
    """``3 Mar 2026, 19:42`` in the site's time zone, with the whole moment behind it."""
    local = timezone.localtime(value)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.isoformat(),
        f"{local:%Y-%m-%d %H:%M:%S %Z}",
        f"{local.day} {local:%b %Y, %H:%M}",
    )


@register.filter
def long_moment(value: datetime) -> SafeString:
    """``Tuesday 3 March 2026 at 19:42 CST``, to be read aloud."""
    local = timezone.localtime(value)
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), f"{local:%A} {local.day} {local:%B %Y at %H:%M %Z}")


@register.filter
def short_digest(value: str) -> str:
    """``sha256:9b3f…c27a``: enough to compare by eye, the whole is behind it."""
    name, _, digits = value.partition(":")
    return f"{name}:{digits[:6]}…{digits[-4:]}" if len(digits) > 12 else value


@register.filter
def bar_end(share: float) -> str:
    """Where a bar of 84 units ends for a share."""
    return f"{2 + 80 * share:.1f}"


@register.filter
def bar_between(low: float, high: float) -> str:
    """How wide a band of a bar of 84 units is, from one share to another."""
    return f"{max(0.0, 80 * (high - low)):.1f}"


@register.filter
def percent(share: float | None) -> str:
    """A share in hundredths. What is not nothing is never shown as 0%, nor what is not all as 100%; of nothing there is none."""
    if share is None:
        return "–"
    if 0 < share < _HUNDREDTH or 1 - _HUNDREDTH < share < 1:
        return f"{share:.1%}" if _THOUSANDTH <= share <= 1 - _THOUSANDTH else ("<0.1%" if share < _HUNDREDTH else ">99.9%")
    return f"{share:.0%}"

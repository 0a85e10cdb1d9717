"""Draw lines, bands and bars as SVG: pure functions of numbers, so that a page and a report show the same picture.

The pictures contain only classes and numbers; the style sheet has the colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT = 320, 104
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 312, 8, 84
_TOPS = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a line: the share of the piece at ``place`` with its interval. It is drawn hollow if it counts few answers."""

    place: int
    share: float
    low: float
    high: float
    is_hollow: bool
    address: str
    title: str


@dataclass(frozen=True, slots=True)
class _PeriodScale:
    """Coordinates of places and shares: a piece is ``step`` wide, and shares above ``top`` are drawn at the upper end."""

    step: float
    top: float

    def x(self, place: int) -> float:
        return round(_LEFT + self.step * (place + 0.5), 1)

    def y(self, share: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * min(share, self.top) / self.top, 1)


@dataclass(frozen=True, slots=True)
class StackedBar:
    """A stacked bar at ``place``. Each part has a kind, a share, an address and a title."""

    place: int
    parts: Sequence[tuple[str, float, str, str]]


def draw_line(dots: Sequence[Dot], pieces: int, ends: tuple[str, str]) -> SafeString:
    """Draw a line through the dots over the band of their intervals, interrupted where a piece has no answers."""
    top = top_of(dot.share for dot in dots)
    scale = _PeriodScale((_RIGHT - _LEFT) / max(1, pieces), top)
    runs = _runs(dots)
    band = "".join(_band(run, scale) for run in runs)
    line = "".join("M" + "L".join(f"{scale.x(dot.place)} {scale.y(dot.share)}" for dot in run) for run in runs)
    drawn = f'<path class="band" d="{band}"/><path class="line" d="{line}"/>' if dots else ""
    points = "".join(_point(dot, scale) for dot in dots)
    return _picture(_frame(f"{top:.0%}", ends) + drawn + points)


def draw_columns(columns: Sequence[StackedBar], pieces: int, ends: tuple[str, str]) -> SafeString:
    """Draw bars that are stacked up to 100%."""
    scale = _PeriodScale((_RIGHT - _LEFT) / max(1, pieces), 1.0)
    return _picture(_frame("100%", ends) + "".join(_pile(column, scale) for column in columns))


def top_of(shares: Iterable[float]) -> float:
    """Return the upper end of the scale: the smallest round share that no share exceeds."""
    highest = max(shares, default=0.0)
    return next(top for top in _TOPS if highest <= top)


def _runs(dots: Sequence[Dot]) -> list[list[Dot]]:
    """Split the dots into runs without a missing piece."""
    return [[dot for _, dot in run] for _, run in groupby(enumerate(dots), key=lambda each: each[1].place - each[0])]


def _band(run: Sequence[Dot], scale: _PeriodScale) -> str:
    if len(run) == 1:
        (dot,) = run
        return f"M{scale.x(dot.place) - 2:.1f} {scale.y(dot.high)}h4V{scale.y(dot.low)}h-4Z"
    there = "L".join(f"{scale.x(dot.place)} {scale.y(dot.high)}" for dot in run)
    back = "L".join(f"{scale.x(dot.place)} {scale.y(dot.low)}" for dot in reversed(run))
    return f"M{there}L{back}Z"


def _point(dot: Dot, scale: _PeriodScale) -> str:
    """Draw a dot. Its link fills the whole height of the picture, because a dot is hard to hit."""
    x, y, size = scale.x(dot.place), scale.y(dot.share), min(3.0, max(1.4, scale.step / 2.4))
    target = f'<rect x="{x - scale.step / 2:.1f}" y="0" width="{scale.step:.1f}" height="{_BOTTOM}"/>'
    shape = f'<circle class="{"few" if dot.is_hollow else "many"}" cx="{x}" cy="{y}" r="{size:.1f}"/>'
    return _link(dot.address, dot.title, target + shape)


def _pile(column: StackedBar, scale: _PeriodScale) -> str:
    drawn, below = [], 0.0
    left, width = _LEFT + scale.step * (column.place + 0.08), scale.step * 0.84
    for kind, share, address, title in column.parts:
        top, bottom = scale.y(below + share), scale.y(below)
        shape = f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{width:.1f}" height="{bottom - top:.1f}"/>'
        drawn.append(_link(address, title, shape) if share else "")
        below += share
    return "".join(drawn)


def _link(address: str, title: str, shape: str) -> str:
    return f'<a href="{escape(address)}" tabindex="-1"><title>{escape(title)}</title>{shape}</a>'


def _frame(top: str, ends: tuple[str, str]) -> str:
    first, last = map(escape, ends)
    return (
        f'<path class="grid" d="M{_LEFT} {_TOP}H{_RIGHT}M{_LEFT} {_BOTTOM}H{_RIGHT}"/>'
        f'<text x="{_LEFT - 5}" y="{_TOP + 4}" text-anchor="end">{top}</text>'
        f'<text x="{_LEFT - 5}" y="{_BOTTOM + 4}" text-anchor="end">0</text>'
        f'<text x="{_LEFT}" y="{HEIGHT - 4}">{first}</text><text x="{_RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{last}</text>'
    )


def _picture(content: str) -> SafeString:
    """Wrap the picture in an SVG that is hidden from screen readers: the table beside it has the same figures."""
    return mark_safe(f'<svg class="lines" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{content}</svg>')  # noqa: S308 — escaped above

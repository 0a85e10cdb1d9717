"""A share of answers: its interval, where it leads, and how it stands in a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString

from attribution.calibration import Interval, wilson
from reviewers.web.templatetags.figures import percent

FEW = 20
"""A share of fewer answers is shown hollow."""

_NONE = '<span class="quiet">–</span>'


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with its interval and where it leads; of no answers there is none."""

    hits: int
    trials: int
    address: str

    @property
    def share(self) -> float | None:
        """Of nothing there is none."""
        return self.hits / self.trials if self.trials > 0 else None

    @property
    def interval(self) -> Interval:
        """Of nine in ten: what holds as well, going by so many answers."""
        return wilson(self.hits, self.trials)

    @property
    def is_few(self) -> bool:
        """Whether it is of so few answers that it says little."""
        return self.trials < FEW

    @property
    def percent(self) -> str:
        """The share in words."""
        return percent(self.share)

    @property
    def counted(self) -> str:
        """As it stands in a table, with what it counts."""
        return self._with(f"{self.hits:,} of {self.trials:,}")

    @property
    def reaching(self) -> str:
        """As it stands in a table, with its interval."""
        return self._with(self.reach)

    @property
    def reach(self) -> str:
        """The interval in words: ``2–11%``."""
        low, high = (percent(bound) for bound in self.interval)
        return f"{low.removesuffix('%')}–{high}"

    def _with(self, more: str) -> str:
        if self.trials <= 0:
            return _NONE
        return f'<a href="{escape(self.address)}">{escape(self.percent)}</a><span class="sub">{escape(more)}</span>'


def row_of(figures: Iterable[str]) -> SafeString:
    """Figures as cells of a row: a page has many hundreds, so no template draws them."""
    return SafeString("".join([f'<td class="num">{figure}</td>' for figure in figures]))

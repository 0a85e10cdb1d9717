"""Ratings in, figures out: pure functions over the statistics of ``attribution.calibration``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attribution import calibration
from attribution.calibration import Agreement, Coefficient, cohen_kappa
from reviewers.review.agreement.ratings import Rating

FEWEST = 20
"""Below so many rows judged by two nothing is told: an interval that holds nearly everything misleads more than it tells."""

FEWEST_CALLED_SO = 10
"""The same of rows that anybody has called right, or wrong, for agreement on these."""

UNKNOWN = Coefficient(None, None)


@dataclass(frozen=True, slots=True)
class Line:
    """Agreement on some rows. ``positive`` and ``negative`` are that on what is right and what is wrong; ``cohen`` is of two people only.

    ``is_enough`` says whether there are rows enough to tell anything.
    """

    name: str
    rows: int
    percent: Coefficient
    positive: Coefficient
    negative: Coefficient
    cohen: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient

    @property
    def is_enough(self) -> bool:
        """Whether anything can be told."""
        return self.rows >= FEWEST

    @property
    def figures(self) -> Sequence[Coefficient]:
        """In the order of the columns."""
        return self.percent, self.positive, self.negative, self.cohen, self.fleiss, self.alpha, self.ac1


@dataclass(frozen=True, slots=True)
class Poles:
    """The verdicts that say right and wrong of a kind of row."""

    right: str
    wrong: str


FIELDS, CITATIONS = Poles("correct", "wrong"), Poles("supports", "does_not_support")


def agreement_on(ratings: Sequence[Rating]) -> Agreement:
    """All of it, of rows with two verdicts or more. Intervals are over conversations: rows of one are not independent."""
    groups = [rating.conversation for rating in ratings]
    return calibration.agreement((rating.verdicts.values() for rating in ratings), groups=groups)


def line_of(name: str, ratings: Sequence[Rating], poles: Poles = FIELDS) -> Line:
    """One line of the table."""
    found = agreement_on(ratings)
    return Line(
        name=name,
        rows=found.items,
        percent=found.percent,
        positive=_on(poles.right, found, ratings),
        negative=_on(poles.wrong, found, ratings),
        cohen=_cohen(ratings),
        fleiss=found.fleiss,
        alpha=found.alpha,
        ac1=found.ac1,
    )


def lines_by(ratings: Sequence[Rating], name: Callable[[Rating], str]) -> list[Line]:
    """A line for each group, the largest first."""
    groups: dict[str, list[Rating]] = {}
    for rating in ratings:
        groups.setdefault(name(rating), []).append(rating)
    return sorted((line_of(each, rows) for each, rows in groups.items()), key=lambda line: (-line.rows, line.name))


def called(verdict: str, ratings: Sequence[Rating]) -> int:
    """How many of the rows with two verdicts anybody has called so."""
    return sum(len(rating.verdicts) > 1 and verdict in rating.verdicts.values() for rating in ratings)


def _on(verdict: str, found: Agreement, ratings: Sequence[Rating]) -> Coefficient:
    """Agreement on one verdict, unless it was hardly ever given."""
    return found.by_verdict.get(verdict, UNKNOWN) if called(verdict, ratings) >= FEWEST_CALLED_SO else UNKNOWN


def _cohen(ratings: Sequence[Rating]) -> Coefficient:
    """Kappa of two people; of more there is none."""
    rated = [rating for rating in ratings if len(rating.verdicts) > 1]
    people = sorted({person for rating in rated for person in rating.verdicts}, key=str)
    if len(people) != 2:
        return UNKNOWN
    one, other = people
    pairs = [(rating.verdicts[one], rating.verdicts[other]) for rating in rated]
    return cohen_kappa(pairs, groups=[rating.conversation for rating in rated])

"""Cut-offs: the costs and benefits of claiming only the rows from a number up. None of them hides a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attribution import DEFAULT_PROFILE, Thresholds
from attribution.calibration import Choice, Forecast, Observation, choose, cross_validated, judged
from reviewers.calibration.labels.queries import shares, words_per_marker

CUTOFFS = tuple(number / 20 for number in range(6, 20))
"""0.30, 0.35 … 0.95, fixed in advance, so that labels have no influence on them."""

WORDS_PER_MARKER = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100)
"""Fixed in advance as well."""

USUAL = 0.5
"""More likely than not: the cut-off unless labels show that another one is better."""

SHIPPED = DEFAULT_PROFILE.thresholds

_TEXTS = frozenset({"summary", "question"})
_BY_SHARE = "content_words"
_NEVER = -1.0


@dataclass(frozen=True, slots=True)
class Swept:
    """Labelled rows with the number that is compared, which is below all cut-offs if nothing was found."""

    forecasts: Sequence[Forecast]
    cutoffs: Sequence[float]
    present: float


def by_confidence(observations: Iterable[Observation], _: Thresholds = SHIPPED) -> Swept:
    """Return the rows with the confidence that a profile fitted without their labels gives."""
    tested, forecasts = cross_validated(observations)
    return Swept(claimed_only(tested, forecasts), CUTOFFS, USUAL)


def by_score(observations: Iterable[Observation], _: Thresholds = SHIPPED) -> Swept:
    """Return the rows with their raw scores."""
    known = judged(observations)
    return Swept(claimed_only(known, [_forecast(each, each.score) for each in known]), CUTOFFS, USUAL)


def by_share(observations: Iterable[Observation], thresholds: Thresholds = SHIPPED) -> Swept:
    """Return long texts with the share of their words that the answer has, from the present threshold up: lower shares are not stored."""
    present = thresholds.summary_share
    texts = [each for each in judged(observations) if is_long_text(each) or (each.field_type in _TEXTS and not each.claims)]
    exact = shares(each for each in texts if each.claims)
    forecasts = [_forecast(each, exact.get(each.id, _uncapped(each))) for each in texts]
    cutoffs = sorted({present, *(number / 20 for number in range(20) if number / 20 > present)})
    return Swept(claimed_only(texts, forecasts), cutoffs, present)


def by_density(observations: Iterable[Observation], thresholds: Thresholds = SHIPPED) -> Swept:
    """Return the rows that rest on a marker alone, with the number of words of their answer to a marker."""
    cited = [each for each in judged(observations) if each.is_cited and not each.fired]
    sparse = words_per_marker(cited)
    forecasts = [_forecast(each, sparse[each.message]) for each in cited if each.message in sparse]
    return Swept(forecasts, WORDS_PER_MARKER, thresholds.tokens_per_marker)


def _uncapped(each: Observation) -> float:
    return each.score if each.uncapped_score is None else each.uncapped_score


def is_long_text(each: Observation) -> bool:
    """Return True if a long text was found by a share of its words."""
    return each.field_type in _TEXTS and each.rule == _BY_SHARE


def claimed_only(observations: Sequence[Observation], forecasts: Sequence[Forecast]) -> list[Forecast]:
    """Return the forecasts, with a number below every cut-off for fields that nothing was found of."""
    pairs = zip(observations, forecasts, strict=True)
    return [forecast if each.claims else forecast._replace(probability=_NEVER) for each, forecast in pairs]


def choose_cutoff(swept: Swept) -> Choice:
    """Return the cut-off with the best F1 by five-fold validation, or the present one unless that is better by a standard error."""
    return choose(swept.forecasts, swept.cutoffs, swept.present)


def _forecast(each: Observation, number: float) -> Forecast:
    return Forecast(number, bool(each.is_used), each.weight, each.conversation)

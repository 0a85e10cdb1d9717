"""The page of the planner: the labels that a claim takes, when they will be there, and the plan that would bring them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from attribution.calibration import Need, chance_to_certify, judged, labels_for_margin, labels_to_certify, need
from reviewers.calibration import wording
from reviewers.calibration.combinations import key_of
from reviewers.calibration.fitting import FEWEST
from reviewers.calibration.labels.dataset import ENOUGH_OTHERS, build_dataset, hold_out, is_for_promises, learned_by
from reviewers.calibration.labels.queries import CombinationLabels, count_labels
from reviewers.calibration.models import SeenCombination
from reviewers.review.models import Stream

EXPECTED, MARGIN = 0.9, 0.03
"""The default claim: a share of nine in ten, with a margin of three percentage points."""

_MOST_ERRORS = 3
_TRUE = (0.97, 0.99)
_USUAL_ROWS = 5
"""Rows of an answer, while there are no labels to count."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The need for labels, the expected date, and the address of a plan for what is missing."""

    need: Need
    present: int
    by: date | None
    answers: int
    plan: str


@dataclass(frozen=True, slots=True)
class GuaranteeRow:
    """The answers that certify with so many errors, and by true precision the chance that they do."""

    errors: int
    wanted: Wanted
    chances: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class PlannerPage:
    """The page of the planner. Paces are a day over the last two weeks.

    ``rows`` are the labels of an answer, ``others`` those besides audits, ``kept`` the audited answers that a certificate may rest on.
    """

    id: UUID
    name: str
    labels: CombinationLabels
    rows: float
    expected: float
    margin: float
    claim: Wanted
    fit: Wanted
    table: Wanted
    promises: Sequence[GuaranteeRow]
    true: Sequence[float]
    others: int
    kept: int
    enough_others: int


def build_planner(seen: SeenCombination, claim: tuple[float, float], now: datetime) -> PlannerPage:
    """Return the page; ``claim`` is a share and its margin, both from 0 to 1."""
    labels = count_labels(seen.organisation_id, now).get((key_of(seen), seen.engine), CombinationLabels())
    gathered = hold_out(build_dataset(seen), learned_by(seen.active))
    learned = judged(gathered.observations)
    others = len(learned) if gathered.held else sum(not is_for_promises(each) for each in learned)
    kept = len({each.message for each in judged(gathered.held) if each.claims})
    plans = _Plans(seen, labels, timezone.localdate(now))
    return PlannerPage(
        id=seen.pk,
        name=wording.combination_in_words(seen.model, seen.prompt_version),
        labels=labels,
        rows=_rows(labels),
        expected=claim[0],
        margin=claim[1],
        claim=plans.of_labels(labels_for_margin(*claim), labels.audit, Stream.AUDIT),
        fit=plans.of_labels(FEWEST, labels.fields, Stream.BOOST),
        table=plans.of_labels(ENOUGH_OTHERS, others, Stream.BOOST),
        promises=[_promise(errors, kept, plans) for errors in range(_MOST_ERRORS + 1)],
        true=_TRUE,
        others=others,
        kept=kept,
        enough_others=ENOUGH_OTHERS,
    )


def _promise(errors: int, kept: int, plans: _Plans) -> GuaranteeRow:
    answers = labels_to_certify(errors)
    return GuaranteeRow(errors, plans.of_answers(answers, kept), [(each, chance_to_certify(each, answers)) for each in _TRUE])


def _rows(labels: CombinationLabels) -> float:
    return labels.fields / labels.answers if labels.answers else _USUAL_ROWS


@dataclass(frozen=True, slots=True)
class _Plans:
    """Works out what is missing at the present pace, and the plan that would bring it."""

    seen: SeenCombination
    labels: CombinationLabels
    today: date

    def of_labels(self, wanted: int, present: int, stream: Stream) -> Wanted:
        """Return the need for labels, of which an answer brings as many as so far."""
        rows = _rows(self.labels)
        per_day = self.labels.audited_per_day * rows if stream is Stream.AUDIT else self.labels.per_day
        found = need(wanted, present, per_day)
        return self._wanted(found, present, ceil(found.missing / rows), stream)

    def of_answers(self, wanted: int, present: int) -> Wanted:
        """Return the need for audited answers."""
        found = need(wanted, present, self.labels.audited_per_day)
        return self._wanted(found, present, found.missing, Stream.AUDIT)

    def _wanted(self, found: Need, present: int, answers: int, stream: Stream) -> Wanted:
        by = None if found.days is None else self.today + timedelta(days=min(found.days, 36_500))
        return Wanted(found, present, by, answers, self._address(answers, stream) if answers else "")

    def _address(self, answers: int, stream: Stream) -> str:
        names = [("model", self.seen.model), ("prompt", self.seen.prompt_version)]
        return f"{reverse('new_plan')}?{urlencode([*names, ('for', stream.value), ('size', answers)])}"

"""The page of the planner: how many labels a claim takes, by when they are there, and the plan that would bring them."""

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
from reviewers.calibration.labels.dataset import ENOUGH_OTHERS, build_dataset, hold_out, is_for_promises, learned_by
from reviewers.calibration.labels.queries import CombinationLabels, count_labels
from reviewers.calibration.lifecycle.policies import FEWEST
from reviewers.calibration.models import SeenCombination
from reviewers.review.models import Stream

EXPECTED, MARGIN = 0.9, 0.03
"""The claim that is planned unless another is asked for: a share of some nine in ten, to three in a hundred."""

_MOST_ERRORS = 3
_TRUE = (0.97, 0.99)
_USUAL_ROWS = 5
"""Rows of an answer, as long as no label tells."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a claim takes, when it is there, and where a plan for what is missing begins."""

    need: Need
    present: int
    by: date | None
    answers: int
    plan: str


@dataclass(frozen=True, slots=True)
class GuaranteeRow:
    """So many audited answers certify with so many errors; by true precision, the chance that they do."""

    errors: int
    wanted: Wanted
    chances: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class PlannerPage:
    """All that the page shows. Paces are a day over the last two weeks.

    ``rows`` are the labels of an answer, ``others`` those besides audits, ``kept`` the audited answers that a promise may rest on.
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
    """``claim`` is a share and how near to it labels are to come, both from 0 to 1."""
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
    """Reckons what is missing at the present pace, and where a plan for it begins."""

    seen: SeenCombination
    labels: CombinationLabels
    today: date

    def of_labels(self, wanted: int, present: int, stream: Stream) -> Wanted:
        """So many labels, of which an answer brings as many as it did so far."""
        rows = _rows(self.labels)
        per_day = self.labels.audited_per_day * rows if stream is Stream.AUDIT else self.labels.per_day
        found = need(wanted, present, per_day)
        return self._wanted(found, present, ceil(found.missing / rows), stream)

    def of_answers(self, wanted: int, present: int) -> Wanted:
        """So many audited answers."""
        found = need(wanted, present, self.labels.audited_per_day)
        return self._wanted(found, present, found.missing, Stream.AUDIT)

    def _wanted(self, found: Need, present: int, answers: int, stream: Stream) -> Wanted:
        by = None if found.days is None else self.today + timedelta(days=min(found.days, 36_500))
        return Wanted(found, present, by, answers, self._address(answers, stream) if answers else "")

    def _address(self, answers: int, stream: Stream) -> str:
        names = [("model", self.seen.model), ("prompt", self.seen.prompt_version)]
        return f"{reverse('new_plan')}?{urlencode([*names, ('for', stream.value), ('size', answers)])}"

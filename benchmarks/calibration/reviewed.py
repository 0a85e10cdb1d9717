"""Labelled turns in a site of their own: drawn by plans, reviewed as their labels say, proposed from, all by the site's own actions."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from attribution import FieldAttribution
from attribution.calibration import Calibration, Observation
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.verdicts import judge
from benchmarks.calibration.labelled import observe
from reviewers.accounts.actions import add_member, create_organisation
from reviewers.accounts.models import Membership, Organisation, Role, User
from reviewers.accounts.policies import Refused
from reviewers.calibration.fitting import SCORES
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.lifecycle.actions import propose
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.shadow import record_of, table_of
from reviewers.review.items import ReviewItem
from reviewers.review.labels import actions
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import Draw, QueueItem, Stream, Verdict
from reviewers.review.plans.actions import create_plan, start_plan
from reviewers.review.plans.sampling import Design, PlanTerms
from reviewers.web.tenancy import tenant

_LABELS = frozenset({"gold", "acts", "source", "license", "citations_gold", "quotes_gold"})
_DESIGNS = {Stream.AUDIT: Draw.NUMBER, Stream.BOOST: Draw.STRATIFIED}
"""An audit is drawn by chance alone, a boost evenly over the kinds of rows."""

_A_LABEL = timedelta(seconds=4)

Truths = Mapping[tuple[str, str], bool | None]
"""True if an answer draws on a field, by section and path; None if nobody is sure."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A profile that labels made, or why there is none and scores stay; what it says, and the turns that were reviewed for it."""

    labels: int
    answers: Sequence[str]
    table: Calibration
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    refusal: str = ""


@dataclass(frozen=True)
class Reviewing:
    """An organisation whose answers are labelled turns, with somebody who reviews and somebody who leads."""

    organisation: Organisation
    reviewer: Membership
    lead: Membership
    truths: Mapping[str, Truths]

    def observations(self, turns: Sequence[Turn]) -> list[Observation]:
        """Each labelled field of the turns, with what the site has stored of it."""
        with tenant.within(self.organisation.pk), transaction.atomic():
            rows = QueueItem.objects.values_list("snapshot__external_id", "attribution__document")
            stored = {name: json.loads(zlib.decompress(bytes(document))) for name, document in rows.iterator(chunk_size=500)}
        return [observe(number, verdict) for number, verdict in enumerate(judge(turns, stored))]

    def proposals(self, stream: Stream, sizes: Sequence[int], seed: str) -> Iterator[Proposed]:
        """A plan of the stream with this seed, reviewed until there are so many labels, and then so many, each time proposed from.

        Nothing of it stays: the next draw begins with the same answers.
        """
        with tenant.within(self.organisation.pk), transaction.atomic():
            yield from self._proposals(stream, sizes, seed)
            transaction.set_rollback(True)

    def _proposals(self, stream: Stream, sizes: Sequence[int], seed: str) -> Iterator[Proposed]:
        now = timezone.now()
        waiting = iter(self._drawn(stream, max(sizes), seed, now))
        labels, reviewed = 0, list[str]()
        for size in sorted(sizes):
            while labels < size:
                item_id, name = next(waiting)
                labels += self._review(item_id, self.truths[name], now)
                reviewed.append(name)
            yield self._propose(list(reviewed), now)

    def _drawn(self, stream: Stream, size: int, seed: str, now: datetime) -> list[tuple[UUID, str]]:
        """The answers of a plan in its order: as many as there are labels wanted, or all."""
        everything = QueueItem.objects.count()
        design = Design(_DESIGNS[stream], size=min(size, everything))
        terms = PlanTerms(name=f"{stream.label} {seed}", design=design, is_blind=True, stream=stream)
        plan = create_plan(terms=terms, by=self.lead, now=now, seed=seed)
        start_plan(plan_id=plan.pk, by=self.lead, now=now)
        return list(plan.items.order_by("ordinal").values_list("item_id", "item__snapshot__external_id"))

    def _review(self, item_id: UUID, truths: Truths, now: datetime) -> int:
        """Label what a review has to label, and the fields that were missed; submit. How many labels say anything."""
        item = actions.take(item_id=item_id, by=self.reviewer, now=now)
        given = [(number, verdict) for number, row in enumerate(item.attribution.fields) if (verdict := _verdict(item, row, truths))]
        for number, verdict in given:
            now += _A_LABEL
            choice = RowChoice(item_id, item.row.attribution_id, number)
            actions.save_label(choice=choice, verdict=verdict, by=self.reviewer, now=now)
        actions.submit(item_id=item_id, by=self.reviewer, now=now)
        return sum(verdict is not Verdict.CANNOT_JUDGE for _, verdict in given)

    def _propose(self, reviewed: Sequence[str], now: datetime) -> Proposed:
        seen = SeenCombination.objects.get(organisation=self.organisation)
        labels = len([each for each in build_dataset(seen).observations if each.is_used is not None])
        try:
            with transaction.atomic():
                profile = propose(combination_id=seen.pk, by=self.lead, now=now)
        except Refused as refusal:
            return Proposed(labels, reviewed, SCORES, refusal=str(refusal))
        return Proposed(labels, reviewed, _table_as_kept(profile), record_of(profile)["evaluation"])


def begin(turns: Sequence[Turn], folder: Path) -> Reviewing:
    """An empty site with two people, and the turns imported without their labels."""
    call_command("migrate", verbosity=0)
    now = timezone.now()
    organisation = create_organisation(slug="measured", name="Measured", at=now)
    with tenant.within(organisation.pk):
        reviewer, lead = (_member(organisation, role, now) for role in (Role.REVIEWER, Role.LEAD))
    file = folder / "turns.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as lines:
        lines.writelines(json.dumps(_record(turn), ensure_ascii=False) + "\n" for turn in turns)
    call_command("import", file, organisation=organisation.slug)
    return Reviewing(organisation, reviewer, lead, {str(turn["id"]): _truths(turn) for turn in turns})


def _table_as_kept(profile: CalibrationProfile) -> Calibration:
    return table_of(CalibrationProfile.objects.get(pk=profile.pk))


def _member(organisation: Organisation, role: Role, now: datetime) -> Membership:
    user = User.objects.create_user(email=f"{role}@measured.example", name=role.label, password=None)
    return add_member(organisation=organisation, user=user, role=role, at=now)


def _record(turn: Turn) -> dict[str, Any]:
    return {key: value for key, value in turn.items() if key not in _LABELS and value is not None} | {"model": "labelled"}


def _truths(turn: Turn) -> Truths:
    return {(label["section"], label["path"]): label["referenced"] for label in turn.get("gold") or ()}


def _verdict(item: ReviewItem, row: FieldAttribution, truths: Truths) -> Verdict | None:
    """Return the verdict of a reviewer who knows the truth; None for a field that is rightly not found, which no review asks for."""
    is_used, claims = _truth_of(row, truths), item.claims(row)
    if is_used is None:
        return Verdict.CANNOT_JUDGE if claims else None
    if claims is is_used:
        return Verdict.CORRECT if claims else None
    return Verdict.WRONG


def _truth_of(row: FieldAttribution, truths: Truths) -> bool | None:
    """That of the label, or of the nearest one above it."""
    section, path = row.field.section, row.field.path
    while path and (section, path) not in truths:
        path = path.rpartition(".")[0]
    return truths.get((section, path))

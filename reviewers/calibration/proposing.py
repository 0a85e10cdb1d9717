"""Proposes a profile in the background where there are many labels; few are fitted while somebody waits.

A worker that is killed while it fits has written nothing, and one that takes the job up again begins the fit anew.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.shortcuts import get_object_or_404

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration import jobs
from reviewers.calibration.actions import find_combination, propose
from reviewers.calibration.combinations import key_of
from reviewers.calibration.counting import Labels, count_labels
from reviewers.calibration.import_models import ImportedSet
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.undertaking_models import Undertaken, Undertaking
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.policies import Refused

MOST_AT_ONCE = 500
"""Labels that are fitted while somebody waits: about a second."""


def propose_or_ask(*, combination_id: UUID, by: Membership, now: datetime, imports: list[UUID]) -> CalibrationProfile | None:
    """Propose a profile, or have the worker do it, which is nothing yet. Raises ``Refused`` as proposing does."""
    seen = find_combination(combination_id, by)
    if _count(seen, imports, now) <= MOST_AT_ONCE:
        return propose(combination_id=combination_id, by=by, now=now, imports=imports)
    ask_proposal(combination_id=combination_id, by=by, now=now, imports=imports)
    return None


@transaction.atomic
def ask_proposal(*, combination_id: UUID, by: Membership, now: datetime, imports: list[UUID]) -> Undertaking:
    """Have the worker propose a profile. Asked again before it has, it is the same."""
    seen = find_combination(combination_id, by, lock=True)
    there = Undertaking.objects.filter(combination=seen, kind=Undertaken.FIT, finished_at=None).first()
    if there is not None:
        return there
    asked: Undertaking = Undertaking.objects.create(
        organisation_id=by.organisation_id, kind=Undertaken.FIT, combination=seen, imports=imports, requested_by_id=by.user_id, asked_at=now
    )
    event = Event(
        Action.PROPOSAL_ASKED, by.organisation_id, user_actor(by.user_id), now, "combination", seen.pk, {"imported": len(imports)}
    )
    record(event)
    jobs.fit_later(asked)
    return asked


@transaction.atomic
def fit_asked(*, undertaking_id: UUID, now: datetime) -> Undertaking:
    """What the worker does: fit and propose in the name of whoever asked, or say why not. Done twice it is done once."""
    asked = Undertaking.objects.select_for_update(of=("self",)).get(pk=undertaking_id)
    if asked.finished_at is None:
        by = get_object_or_404(Membership, organisation=asked.organisation_id, user=asked.requested_by_id)
        try:
            asked.profile = propose(combination_id=asked.combination_id, by=by, now=now, imports=asked.imports)
        except Refused as refusal:
            asked.refused = str(refusal)
        asked.finished_at = now
        asked.save(update_fields=["profile", "refused", "finished_at"])
    return asked


def newest_fit(seen: SeenCombination) -> Undertaking | None:
    """The last time that a profile was asked for in the background."""
    return Undertaking.objects.filter(combination=seen, kind=Undertaken.FIT).order_by("-id").first()


def _count(seen: SeenCombination, imports: list[UUID], now: datetime) -> int:
    own = count_labels(seen.organisation_id, now).get((key_of(seen), seen.engine), Labels())
    return own.fields + sum(ImportedSet.objects.filter(combination=seen, pk__in=imports).values_list("label_count", flat=True))

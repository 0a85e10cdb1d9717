"""Labelled answers as calibration needs them: many rows each, most of them right."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.calibration import shadow
from reviewers.calibration.lifecycle import actions as profiles
from reviewers.calibration.models import CalibrationProfile, Comparison, SeenCombination
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from tests.factories import NOW, choose, make_item

ROWS = 30
CITED_ROWS = 15

RESPONSE = " ".join(f"Level {number} is reached{f' [[SF:level_{number}]]' if number < CITED_ROWS else ''}." for number in range(ROWS))
CONTEXT = {"safety": {f"level_{number}": f"Level {number}" for number in range(ROWS)} | {"other": "elsewhere"}}

Judges = Callable[[int, str], Verdict]
"""Returns a reviewer's verdict on a row, by the number of the answer and the field's path."""


def mostly_right(number: int, path: str) -> Verdict:
    """Cited rows are right; of the others one in five is wrong."""
    digits = int(path.removeprefix("level_"))
    return Verdict.WRONG if digits >= CITED_ROWS and (digits + number) % 5 == 0 else Verdict.CORRECT


def make_answer(by: Membership, number: int = 0, **changes: Any) -> QueueItem:
    """An answer with many rows, in a conversation of its own."""
    return make_item(by.organisation, **{"response": RESPONSE, "context": CONTEXT, "conversation_id": f"talk {number}"} | changes)


def risky(count: int) -> dict[str, Any]:
    """An answer with so many rows of the rule that the made up labels are on."""
    return {"response": "Your risk is elevated.", "context": {"safety": {"visits": [{"risk_level": "elevated"}] * count}}}


def review_as(item: QueueItem, by: Membership, number: int = 0, judge: Judges = mostly_right) -> None:
    """Label each found row as judged, and submit. What is correct is labelled at once."""
    for row, field in enumerate(rows_of(item)):
        verdict = judge(number, field["path"]) if "method" in field else Verdict.CORRECT
        if verdict is not Verdict.CORRECT:
            actions.save_label(choice=choose(item, row), verdict=verdict, by=by, now=NOW)
    actions.label_remaining(item_id=item.pk, by=by, now=NOW)
    actions.submit(item_id=item.pk, by=by, now=NOW)


@transaction.atomic
def make_labelled(by: Membership, answers: int = 4, judge: Judges = mostly_right, **changes: Any) -> SeenCombination:
    """So many answers, each with a submitted review; returns their combination."""
    for number in range(answers):
        item = make_answer(by, number, **changes)
        review_as(item, by, number, judge)
    return combination_of(item)


def combination_of(item: QueueItem) -> SeenCombination:
    snapshot = item.snapshot
    return SeenCombination.objects.get(model=snapshot.model, prompt_version=snapshot.prompt_version, schema_version=snapshot.schema_version)


def rows_of(item: QueueItem) -> list[dict[str, Any]]:
    """The rows of the attribution that is shown, as they are stored."""
    return json.loads(zlib.decompress(bytes(item.attribution.document)))["fields"]


def make_proposed(by: Membership, reviewer: Membership, **changes: Any) -> CalibrationProfile:
    """A profile that somebody proposed, compared with what is active."""
    seen = make_labelled(reviewer, **changes)
    profile = profiles.propose(combination_id=seen.pk, by=by, now=NOW)
    compare(profile)
    return profile


def compare(profile: CalibrationProfile) -> Comparison:
    return shadow.compare_profile(profile_id=profile.pk, organisation_id=profile.organisation_id, now=NOW)


def make_active(by: Membership, approver: Membership, reviewer: Membership, **changes: Any) -> CalibrationProfile:
    """One that was approved."""
    profile = make_proposed(by, reviewer, **changes)
    changed = shadow.newest_comparison(profile).changed_count
    return profiles.approve(profile_id=profile.pk, changed=changed, by=approver, now=NOW)

"""What reviewers do: label, note, undo, skip, flag; submitting is beside it. Each call one transaction with its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution import FieldAttribution
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review import leasing, policies
from reviewers.review.authoring import NOTED, SAVED, UNDONE, Author, RowChoice, event, open_item, write
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.deciding.settling import settle_again
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item, field_key
from reviewers.review.models import Aside, Flag, State, Verdict
from reviewers.review.plans.visibility import may_be_told
from reviewers.review.submitting import submit
from reviewers.review.undoing import last_action

__all__ = ["flag_finding", "label_remaining", "let_go", "save_label", "save_note", "skip", "submit", "take", "undo"]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undoing changed: the numbers of rows, and of citations that are still there."""

    item: Item
    rows: Sequence[int]
    citations: Sequence[int]
    is_anything: bool = True


@transaction.atomic
def save_label(*, choice: RowChoice, verdict: Verdict, by: Membership, now: datetime, note: str | None = None) -> Item:
    """Give a row a verdict; without ``note`` the note it had stays. Returns the item as it is then.

    Raises ``Refused`` where somebody else holds the item or it was attributed again, ``Invalid`` where a change after submission
    lacks a reason.
    """
    item, row = _open_for_label(choice, by, now)
    author = Author(item, by, now)
    write(author, SAVED, [author.label(row, verdict, note, choice.reason)])
    settle_again(item, by, now)
    return item


@transaction.atomic
def save_note(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> Item:
    """Put a note to a row; its verdict stays, or stays open."""
    item, row = _open_for_label(choice, by, now)
    label = item.current.get(field_key(row))
    verdict = label.verdict if label else Verdict.NONE
    author = Author(item, by, now)
    write(author, NOTED, [author.label(row, verdict, note, choice.reason)])
    settle_again(item, by, now)
    return item


@transaction.atomic
def label_remaining(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Call what is left correct, as one action that can be undone as one: found rows, and citations whose checks found nothing wrong.

    The other citations are left: they are looked at one by one. Where nothing but those is left ``Refused`` says so.
    """
    item = load_item(by, item_id, lock=True)
    policies.check_may_label(item, by.user_id, now, "")
    policies.check_may_label_remaining(item)
    leasing.ensure_held(item=item, by=by, now=now)
    author = Author(item, by, now)
    rows = [author.label(item.attribution.fields[number], Verdict.CORRECT) for number in item.unlabelled]
    sound = [each for each in item.unlabelled_citations if each.is_sound]
    write(author, SAVED, rows, [author.citation_label(each.key, CitationVerdict.SUPPORTS) for each in sound])
    return item


@transaction.atomic
def undo(*, item_id: UUID, by: Membership, now: datetime) -> Undone:
    """Take back the last action on an item that was not taken back yet, whatever it labelled."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_undo(item, by.user_id, now)
    last = last_action(item)
    if last is None:
        return Undone(item, (), (), is_anything=False)
    leasing.ensure_held(item=item, by=by, now=now)
    author = Author(item, by, now, undoes=last.id)
    rows = {field_key(row): number for number, row in enumerate(item.attribution.fields)}
    citations = {each.key: each.number for each in item.citations}
    write(
        author,
        UNDONE,
        [author.label(item.attribution.fields[rows[label.key]], *last.before(label, Verdict.NONE)) for label in last.labels],
        [author.citation_label(label.key, *last.before(label, CitationVerdict.NONE)) for label in last.citation_labels],
    )
    changed = [citations[label.key] for label in last.citation_labels if label.key in citations]
    return Undone(item, sorted(rows[label.key] for label in last.labels), sorted(changed))


@transaction.atomic
def skip(*, item_id: UUID, reason: str, by: Membership, now: datetime) -> None:
    """Put an item aside and say why. The item is let go; anybody can take it up again.

    One that several review stays to do for the others: only whoever skipped it is not offered it any more.
    """
    item = load_item(by, item_id, lock=True)
    policies.check_may_skip(item, by.user_id, now, reason)
    row = item.row
    if row.overlap > 1:
        place: dict[str, Any] = {"item": row, "reviewer_id": by.user_id, "organisation_id": by.organisation_id}
        Aside.objects.update_or_create(**place, defaults={"put_at": now})
    else:
        row.state, row.skipped_by_id, row.skip_reason = State.SKIPPED, by.user_id, reason
        row.save(update_fields=["state", "skipped_by", "skip_reason"])
    skipped = event(Action.REVIEW_SKIPPED, item, by, now, parts=[("reason", reason.encode())])
    record(replace(skipped, kept=frozenset({"reason"})))  # the item forgets it when it is taken up again
    leasing.release(item=item, by=by, now=now)


@transaction.atomic
def take(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Take one item, also one that was skipped."""
    item = load_item(by, item_id, lock=True)
    leasing.ensure_held(item=item, by=by, now=now)
    return item


@transaction.atomic
def let_go(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Let an item go without finishing it."""
    leasing.release(item=load_item(by, item_id, lock=True), by=by, now=now)


@transaction.atomic
def flag_finding(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> None:
    """Put a remark to a finding, for a lead to see. The choice's number is that of the finding."""
    item = load_item(by, choice.item_id, lock=True)
    policies.check_is_current(item, choice.attribution_id)
    policies.check_may_flag(item)
    if not 0 <= choice.number < len(item.findings):
        raise policies.Invalid("There is no such finding.")
    if not note:
        raise policies.Invalid("A flag needs a note: say what a lead should look at.")
    code, name = item.findings[choice.number]
    flag = Flag.objects.create(
        organisation_id=by.organisation_id, snapshot_id=item.id, reviewer_id=by.user_id, finding=name, note=note, created_at=now
    )
    details = {"flag": str(flag.id)} | ({"code": code} if may_be_told(item.standing) else {})
    record(event(Action.FINDING_FLAGGED, item, by, now, details, [("finding", name.encode()), ("note", note.encode())], [flag]))


def _open_for_label(choice: RowChoice, by: Membership, now: datetime) -> tuple[Item, FieldAttribution]:
    """The item, held by this reviewer, and the row that is meant."""
    item = open_item(choice, by, now)
    if not 0 <= choice.number < len(item.attribution.fields):
        raise policies.Invalid("There is no such row.")
    return item, item.attribution.fields[choice.number]

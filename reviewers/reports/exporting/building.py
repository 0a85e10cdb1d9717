"""Makes an answer of a report out of what was loaded of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reviewers.reports.exporting.answered import Answered
from reviewers.reports.exporting.deciding import decisions_of
from reviewers.reports.exporting.documents import documents_of, grounds_of
from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.model import Answer, Recorded, Reviewed, Sampled, Signed, Taken
from reviewers.reports.exporting.moments import written
from reviewers.reports.exporting.notes import notes_of
from reviewers.reports.exporting.rows import rows_of
from reviewers.reports.exporting.stored import Stored
from reviewers.reports.exporting.told import Found, Remark
from reviewers.review.items import Item, finding_name, issue_name
from reviewers.review.models import Flag
from reviewers.review.plans.queries import draw_in_words
from reviewers.review.redacting.shown import Gone, redactions_of
from reviewers.review.signing.queries import SignatureRow


def build_answer(number: int, loaded: Loaded, stored: Sequence[Stored], events: Sequence[Recorded]) -> Answer:
    """All of it, with the rows that are stored; question and answer alone where its reader may not know yet what the engine says."""
    item = loaded.item
    about: dict[str, Any] = _withheld(loaded.row) if item.is_blind else _told(loaded, stored)
    return Answer(number=number, **_frozen(loaded.row, item), **about, sampled=_sampled(loaded), events=tuple(events))


def _frozen(row: Answered, item: Item) -> dict[str, Any]:
    """What was asked and answered, and by what."""
    snapshot, attribution = row.snapshot, row.attribution
    return {
        "id": str(snapshot.pk),
        "external_id": snapshot.external_id,
        "conversation": snapshot.conversation_id,
        "turn": snapshot.turn_index,
        "client": snapshot.client_reference,
        "provider": snapshot.provider,
        "model": snapshot.model,
        "prompt": snapshot.prompt_version,
        "schema": snapshot.schema_version,
        "answered_at": snapshot.answered_at,
        "frozen_at": snapshot.frozen_at,
        "digest": "sha256:" + snapshot.digest.hex(),
        "question": str(item.record.get("user_text") or ""),
        "response": str(item.record.get("response") or ""),
        "text": item.shown.attribution.clean_text,
        "state": row.state,
        "profile": attribution.profile_id,
        "engine": attribution.engine_version,
        "is_calibrated": item.attribution.is_calibrated,
        "attribution": "sha256:" + attribution.digest.hex(),
        "hidden_sections": tuple(snapshot.hidden_sections),
        "redactions": tuple([_taken(each) for each in redactions_of(item)]),
    }


def _withheld(row: Answered) -> dict[str, Any]:
    return {
        "is_withheld": True,
        "source": "",
        "notes": (),
        "left_out": row.attribution.field_count,
        "rows": (),
        "documents": (),
        "grounds": None,
        "findings": (),
        "reviews": (),
        "signatures": (),
        "decisions": (),
    }


def _told(loaded: Loaded, stored: Sequence[Stored]) -> dict[str, Any]:
    item = loaded.item
    return {
        "is_withheld": False,
        "source": item.attribution.source.value,
        "notes": notes_of(item),
        "left_out": loaded.row.attribution.field_count - len(stored),
        "rows": rows_of(item, stored, loaded.reviews),
        "documents": documents_of(item, loaded.reviews),
        "grounds": grounds_of(item),
        "findings": tuple(_findings(item, loaded.flags)),
        "reviews": tuple([Reviewed(each.id, each.name, each.at, each.label_count) for each in loaded.reviews]),
        "signatures": tuple([_signed(each) for each in loaded.signatures]),
        "decisions": decisions_of(loaded),
    }


def _findings(item: Item, flags: Iterable[Flag]) -> Iterable[Found]:
    remarks: dict[str, list[Remark]] = {}
    for flag in flags:
        remarks.setdefault(flag.finding, []).append(Remark(flag.reviewer.name, flag.note, written(flag.created_at)))
    for finding in item.attribution.guardrails:
        about = f"{finding.section}.{finding.path}" if finding.path is not None else ""
        yield Found(finding.code.value, finding.message, about, tuple(remarks.get(finding_name(finding), ())))
    for issue in item.grounds.issues if item.grounds else ():
        yield Found(issue.code.value, issue.message, issue.source or "", tuple(remarks.get(issue_name(issue), ())))


def _signed(row: SignatureRow) -> Signed:
    return Signed(
        id=str(row.id),
        review=str(row.review_id),
        printed_name=row.printed_name,
        meaning=row.meaning.value,
        meaning_words=str(row.meaning.label),
        signed_at=written(row.signed_at),
        moment=row.moment,
        digest=row.digest,
        standing=row.standing.value,
        changes=tuple(row.changes),
        is_replaced=row.is_replaced,
    )


def _taken(gone: Gone) -> Taken:
    found = gone.redacted
    return Taken(tuple(gone.words), str(found.basis.label), written(found.at), found.who)


def _sampled(loaded: Loaded) -> Sampled | None:
    drawn = loaded.drawn
    if drawn is None:
        return None
    return Sampled(str(drawn.plan_id), drawn.plan.name, draw_in_words(drawn.plan), drawn.stratum, drawn.probability, drawn.trigger)

"""An item with a word of its own in each of its parts, and a search for these words in all that the database holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from django.db import connections
from psycopg import sql

from reviewers.accounts.actions import keep_draft, switch_citation_search
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Organisation, Role, SearchWay
from reviewers.ledger.models import Redaction, RedactionBasis
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict, QueueItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.redaction.actions import approve, decline, propose
from reviewers.review.redaction.parts import parts_of
from reviewers.web.config import OWNER
from tests.factories import NOW, choose, flag_finding, make_item, make_member
from tests.review.signed import sign_as_it_stands
from tests.snapshots.searches import run_all

CANARIES = {
    "user_text": "marzipan",
    "response": "nightingale",
    "context.safety.remark": "harpsichord",
    "context.safety.places\\.of\\.birth": "Timbuktu",
    "context.history.1.said": "trombone",
    "documents.0": "contrabassoon",
    "documents.1": "glockenspiel",
    "tool_calls.0": "accordion",
    "client_reference": "zanzibar",
    "conversation_id": "samarkand",
    "provider": "quixote",
    "rest": "xylophone",
    "note": "flugelhorn",
    "citation_note": "clavichord",
    "remark": "bandoneon",
}
"""Words that are in one part each."""

RECORD: dict[str, Any] = {
    "client_reference": "client-zanzibar",
    "conversation_id": "talk-samarkand",
    "provider": "Dr. Quixote",
    "client_name": "Xylophone Doe",
    "labels_of_the_sender": {"xylophone": True},
    "user_text": "is there a marzipan shop?",
    "response": (
        "Hear the nightingale sing at night [1]. Your risk is elevated [[SF:risk_level]], it said harpsichord music helps. "
        "It costs 77 dollars nightingale [1]. In the nightingale time you were in Timbuktu with a trombone."
    )
    .replace("harpsichord", "harp")
    .replace("Timbuktu", "town")
    .replace("trombone", "band"),
    "context": {
        "safety": {"risk_level": "elevated", "remark": "harpsichord music helps", "places.of.birth": ["Timbuktu", "Elsewhere"]},
        "history": [{"said": "nothing"}, {"said": "a trombone was heard"}],
    },
    "documents": [
        {"id": "birds", "title": "contrabassoon", "content": "They sing at night, and the contrabassoon is played at night as well."},
        {"title": "Bells", "content": "The glockenspiel costs 12 dollars."},
    ],
    "tool_calls": [{"id": "call-1", "name": "http_client", "output": {"body": "An accordion was heard at night."}}],
    "citations": [{"source": "birds", "quote": "and the contrabassoon is played at night as well"}],
    "field_citations": [
        {"tool": "SF", "field": "risk_level", "text": "Your risk is elevated", "value": "trombone"},
        {"path": "safety.remark", "text": "harpsichord music helps", "start": 4, "end": 20},
        {"section": "Timbuktu or so", "field": {"said": ["marzipan"]}, "text": "In the nightingale time"},
        "the glockenspiel: 12 dollars",
        ["accordion"],
    ],
}


def make_redactable(reviewer: Membership, **changes: Any) -> QueueItem:
    """Everything written beside it, submitted and signed."""
    organisation = reviewer.organisation
    switch_citation_search(organisation=organisation, to=SearchWay.WORDS, at=NOW, by=SYSTEM)
    item = make_item(organisation, **RECORD | changes)
    run_all()
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, note=f"the {CANARIES['note']}", by=reviewer, now=NOW)
    found = load_item(reviewer, item.pk)
    for number, (code, _) in enumerate(found.findings):
        choice = RowChoice(item.pk, item.attribution_id, number)
        flag_finding(choice=choice, note=f"{CANARIES['remark']} {code}", by=reviewer, now=NOW)
    for citation in found.citations:
        choice = RowChoice(item.pk, item.attribution_id, citation.number)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, note=CANARIES["citation_note"], by=reviewer, now=NOW)
    actions.label_remaining(item_id=item.pk, by=reviewer, now=NOW)
    actions.submit(item_id=item.pk, by=reviewer, now=NOW)
    again = choose(item, reason=f"a second {CANARIES['note']}")
    actions.save_label(choice=again, verdict=Verdict.CORRECT, by=reviewer, now=NOW)
    sign_as_it_stands(item, reviewer)
    keep_draft(page=f"/items/{item.pk}/", field="note", text="half a piccolo", by=reviewer, now=NOW)
    return item


def lead_and_administrator(reviewer: Membership) -> tuple[Membership, Membership]:
    """Who proposes, and who approves."""
    organisation = reviewer.organisation
    return make_member(organisation, Role.LEAD, "Leda Lund"), make_member(organisation, Role.ADMINISTRATOR, "Ada Abbot")


def names_of(item: QueueItem, member: Membership, *kinds: str) -> list[str]:
    """The names of the parts of these kinds; of all without any."""
    return [part.name for part in parts_of(load_item(member, item.pk)) if not kinds or part.name.startswith(kinds)]


def redact(item: QueueItem, names: list[str], proposer: Membership, approver: Membership) -> Redaction:
    """Proposed by one and approved by the other."""
    redaction = propose(item_id=item.pk, parts=names, basis=RedactionBasis.ERASURE, reason="She asked for it.", by=proposer, now=NOW)
    approve(redaction_id=redaction.pk, by=approver, now=NOW)
    return redaction


def make_proposal(item: QueueItem) -> Redaction:
    """Somebody proposes to redact what the user said."""
    by = make_member(item.organisation, Role.LEAD, "Prosper Pole")
    return propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked for it.", by=by, now=NOW)


def redact_something(organisation: Organisation) -> None:
    """A proposal that was approved, and one that waits."""
    by = make_member(organisation, Role.ADMINISTRATOR, "Ada Abbot")
    approve(redaction_id=make_proposal(make_item(organisation)).pk, by=by, now=NOW)
    make_proposal(make_item(organisation))


def redact_twice(organisation: Organisation) -> None:
    """Two items with everything, of which parts are redacted, of one of them twice; a proposal that waits, one that was declined."""
    reviewer = make_member(organisation, name="Rita Rand")
    way, (lead, administrator) = organisation.citation_search, lead_and_administrator(reviewer)
    for kinds in (("note.", "context.safety.remark"), ("user_text", "documents.0", "remark.")):
        item = make_redactable(reviewer)
        redact(item, names_of(item, lead, *kinds), lead, administrator)
    redact(item, names_of(item, lead, "response"), administrator, lead)
    decline(redaction_id=make_proposal(make_item(organisation)).pk, by=lead, now=NOW)
    make_proposal(make_item(organisation))
    switch_citation_search(organisation=organisation, to=way, at=NOW, by=SYSTEM)


def places_of(*words: str) -> list[str]:
    """The columns, of all tables, in which one of the words stands: as text, in bytes, or compressed."""
    sought = [word.lower().encode() for word in words]
    return [
        f"{table}.{column}"
        for table, column, content in _everything()
        if any(word in form.lower() for word in sought for form in _forms(content))
    ]


def _everything() -> Iterator[tuple[str, str, bytes]]:
    with connections[OWNER].cursor() as cursor:
        for table in connections[OWNER].introspection.table_names(cursor):
            cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
            columns = [column.name for column in cursor.description or ()]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    yield table, column, bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode("utf-8", "replace")


def _forms(content: bytes) -> Iterator[bytes]:
    yield content
    try:
        yield zlib.decompress(content)
    except zlib.error:
        return

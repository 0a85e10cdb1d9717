"""Read exports for their pages, and what external auditors have revealed of a client's answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Length
from django.shortcuts import get_object_or_404
from django.utils.formats import date_format

from reviewers.accounts.models import Membership, User
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret, Leaf
from reviewers.reports.disclosure.profiles import TOLD, DisclosureProfile
from reviewers.reports.exports import chunks, policies
from reviewers.reports.exports.bundle.verifier.main import VERIFIER
from reviewers.reports.exports.bundle.writer import WHILE_WAITING
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS
from reviewers.reports.exports.policies import has_any_of, names_masked_text, withheld_among
from reviewers.reports.exports.scope import ScopeKind, read_scope, resolve_request
from reviewers.reports.models import Export, ExportChunk, ExportOutcome, ExportResult
from reviewers.review.models import Plan
from reviewers.snapshots.models import Snapshot

_MOST = 200

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class RevealRow:
    """A reveal: the kinds of text, the answer, who, when and why."""

    item: UUID
    title: str
    texts: str
    by: str
    at: datetime
    reason: str


def list_reveals(by: Membership, client: str) -> Sequence[RevealRow]:
    """Return the latest reveals of a client's answers, newest first, with two queries."""
    own = Snapshot.objects.filter(organisation=by.organisation_id, client_reference=client)
    titles = dict(own.values_list("pk", "external_id"))
    events = AuditEvent.objects.filter(organisation_id=by.organisation_id, object_id__in=titles, action=Action.TEXT_REVEALED.value)
    name = Subquery(User.objects.filter(pk=OuterRef("actor_id")).values("name"))
    kept = Subquery(EventSecret.objects.filter(pk=OuterRef("pk")).values("payload"))
    rows = events.annotate(name=name, kept=kept).order_by("-id").values_list("object_id", "body", "name", "occurred_at", "kept")[:_MOST]
    hidden = hidden_from(by, Surface.EXPORTS)
    return [
        RevealRow(item, titles[item], _texts(json.loads(bytes(body))["details"]["texts"]), who or "", at, _reason(payload, hidden))
        for item, body, who, at, payload in rows
    ]


def _texts(names: Iterable[str]) -> str:
    return "; ".join(Text[name.upper()].value for name in names if name.upper() in Text.__members__)


def _reason(payload: bytes | None, hidden: frozenset[Text]) -> str:
    """Return the reason of a reveal. It is stored beside the event, which only commits to it."""
    spoken = str(json.loads(bytes(payload)).get("reason", "")) if payload else ""
    return masked(spoken, Text.NOTES, hidden)


@dataclass(frozen=True, slots=True)
class ExportRow:
    """An export in the list. ``item`` and ``plan`` are what it links to, if anything; ``answers`` is None before it is made.

    It has no digest before it is made, nor if the digest could tell the viewer what is hidden from them.
    """

    id: UUID
    asked_at: datetime
    by: str
    what: str
    item: UUID | None
    plan: UUID | None
    form: str
    profile: str
    reason: str
    state: str
    failure: str
    answers: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A page of exports, newest first. ``before`` is the key of the next page, or None."""

    rows: Sequence[ExportRow]
    before: UUID | None


@dataclass(frozen=True, slots=True)
class Detail:
    """One export. ``done`` of ``total`` answers are written so far; ``may_take`` and ``is_there`` tell if it can be downloaded.

    A bundle ``is_ready`` once it is packed, and never if packing ``has_failed``. ``verifier`` is the sealed digest of its program.
    """

    row: ExportRow
    size: int
    done: int
    total: int
    is_bundle: bool
    is_ready: bool
    has_failed: bool
    may_take: bool
    is_there: bool
    verifier: str = ""

    @property
    def waits(self) -> bool:
        """True if the page has something to wait for."""
        return self.row.state == "pending" or (self.is_there and not self.is_ready and not self.has_failed)


def list_exports(by: Membership, *, client: str = "", before: UUID | None = None) -> ExportPage:
    """Return the exports of an organisation; with a client's reference, those with answers about this client."""
    exports = Export.objects.filter(organisation=by.organisation_id)
    if client:
        exports = exports.filter(pk__in=disclosures_of(by, client).values("export"))
    if before:
        exports = exports.filter(pk__lt=before)
    found = list(exports.select_related("asked_by", "result").defer("result__snapshots").order_by("-id")[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    return ExportPage(_rows(shown, by), shown[-1].pk if len(found) > PAGE_SIZE else None)


def disclosures_of(by: Membership, client: str) -> QuerySet[ExportResult]:
    """Return the results of the exports with answers about a client."""
    answers = Snapshot.objects.filter(organisation=by.organisation_id, client_reference=client)
    return ExportResult.objects.filter(has_any_of(answers), organisation=by.organisation_id)


def find_export(by: Membership, export_id: UUID) -> Export:
    """Return an export of the member's organisation, or raise 404."""
    exports = Export.objects.filter(organisation=by.organisation_id).select_related("asked_by", "result")
    return get_object_or_404(exports.defer("result__snapshots"), pk=export_id)


def load_detail(by: Membership, export: Export) -> Detail:
    """Return one export with its progress."""
    (row,) = _rows([export], by)
    is_made, is_bundle = row.state == ExportOutcome.MADE, export.form == BUNDLE
    is_pending, has_failed = row.state == "pending", is_made and is_bundle and _has_failed(export)
    return Detail(
        row=row,
        size=export.result.size if is_made else 0,
        done=_done(export) if is_pending else row.answers or 0,
        total=resolve_request(read_scope(export.scope), by).items.count() if is_pending else row.answers or 0,
        is_bundle=is_bundle,
        is_ready=not is_bundle or (is_made and not has_failed and _is_ready(export)),
        has_failed=has_failed,
        may_take=policies.may_take(export, by),
        is_there=is_made and chunks.is_kept(export),
        verifier=_verifier(export) if is_made and is_bundle else "",
    )


def _verifier(export: Export) -> str:
    body = json.loads(bytes(_event_of_making(export).get().body))
    return str(body["details"].get(VERIFIER, ""))


def _has_failed(export: Export) -> bool:
    """Return True if packing a bundle failed, and has not succeeded since."""
    return chunks.is_kept(export, chunks.NOT_PACKED) and not chunks.is_kept(export, chunks.BUNDLE)


def _is_ready(export: Export) -> bool:
    """Return True if a bundle is packed, or can be packed during the request."""
    return chunks.is_kept(export, chunks.BUNDLE) or (export.result.size <= WHILE_WAITING and _is_sealed(export))


def _is_sealed(export: Export) -> bool:
    """Return True if the event of its making is sealed: it is the last one that a bundle needs."""
    return Leaf.objects.filter(pk__in=_event_of_making(export).values("pk")).exists()


def _event_of_making(export: Export) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(organisation_id=export.organisation_id, object_id=export.pk, action=Action.REPORT_MADE.value)


def _done(export: Export) -> int:
    counted = ExportChunk.objects.filter(export=export, name=chunks.FILE, state__has_key="answers")
    return counted.aggregate(done=Sum(_Count("state__answers")))["done"] or 0


class _Count(Length):
    """The number of elements of a JSON list."""

    function = "jsonb_array_length"


def _rows(exports: Iterable[Export], by: Membership) -> list[ExportRow]:
    exports = list(exports)
    scopes = {export.pk: read_scope(export.scope) for export in exports}
    plans = {scope.object_id for scope in scopes.values() if scope.kind is ScopeKind.PLAN}
    names = dict(Plan.objects.filter(pk__in=plans).values_list("pk", "name")) if plans else {}
    hidden, withheld = hidden_from(by, Surface.EXPORTS), withheld_among(by, scopes.keys())
    withheld |= {export.pk for export in exports if names_masked_text(export, by)}
    rows = (_row(export, names) for export in exports)
    return [replace(row, reason=masked(row.reason, Text.NOTES, hidden), digest="" if row.id in withheld else row.digest) for row in rows]


def _row(export: Export, names: Mapping[UUID, str]) -> ExportRow:
    result, scope = getattr(export, "result", None), read_scope(export.scope)
    return ExportRow(
        id=export.pk,
        asked_at=export.asked_at,
        by=export.asked_by.name,
        what=_what(export, names),
        item=scope.object_id if scope.kind in (ScopeKind.ITEM, ScopeKind.CONVERSATION) else None,
        plan=scope.object_id if scope.kind is ScopeKind.PLAN else None,
        form=FORMATS[export.form].label if export.form in FORMATS else export.form,
        profile="" if scope.profile is DisclosureProfile.FULL else TOLD[scope.profile][0],
        reason=export.reason,
        state=result.outcome if result else "pending",
        failure=result.reason if result else "",
        answers=result.answers if result else None,
        digest="sha256:" + bytes(result.digest).hex() if result and result.digest else "",
    )


def _what(export: Export, names: Mapping[UUID, str]) -> str:
    scope = read_scope(export.scope)
    if scope.kind is ScopeKind.PLAN:
        return f"Plan {names.get(scope.object_id, '')}" if scope.object_id else "A plan"
    if scope.kind is not ScopeKind.PERIOD:
        return "One answer" if scope.kind is ScopeKind.ITEM else "A conversation"
    days = [f"{word} {date_format(day, 'j M Y')}" for word, day in (("from", scope.since), ("to", scope.until)) if day]
    words = f"Answers {' '.join(days)}" if days else "All answers"
    return f"{words}, reviewed" if scope.submitted_only else words

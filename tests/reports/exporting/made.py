"""Reports as tests make them."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.reports.exports import chunks
from reviewers.reports.exports.actions import ask_for, finish
from reviewers.reports.exports.bundle.writer import pack_bundle
from reviewers.reports.exports.formats.registry import FORMATS, VOLUMES
from reviewers.reports.exports.reading import read_parts
from reviewers.reports.exports.report import Report, gather
from reviewers.reports.exports.scope import ReportScope, ScopeKind, resolve_request
from reviewers.reports.models import Export
from tests.factories import NOW
from tests.ledger.sealed import seal_now

EVERYTHING = ReportScope(ScopeKind.PERIOD)


def report_of(by: Membership, scope: ReportScope = EVERYTHING) -> Report:
    """A report in memory."""
    return gather(read_parts(resolve_request(scope, by)))


def written(by: Membership, name: str, scope: ReportScope = EVERYTHING) -> bytes:
    """A report as a file."""
    return b"".join(FORMATS[name].write(read_parts(resolve_request(scope, by))))


def of_item(item_id: UUID, **more: Any) -> ReportScope:
    return ReportScope(ScopeKind.ITEM, item_id, **more)


def lines(content: bytes) -> list[dict[str, Any]]:
    """The lines of JSON of a file."""
    return [json.loads(line) for line in content.splitlines()]


def make_export(by: Membership, form: str = "jsonl", scope: ReportScope = EVERYTHING, reason: str = "the yearly audit") -> Export:
    """An export as the page would ask for it."""
    return ask_for(scope=scope, form=form, reason=reason, by=by, now=NOW)


def make_bundle(by: Membership, scope: ReportScope = EVERYTHING) -> bytes:
    """A bundle, once its events are sealed."""
    export = make_export(by, "bundle", scope)
    seal_now(by.organisation_id)
    with pack_bundle(export) as file:
        return file.read()


def make_volumes(by: Membership, scope: ReportScope = EVERYTHING, size: int = 2, *, export: Export | None = None) -> bytes:
    """A report as PDF in volumes of so many answers."""
    export = export or make_pending(by, VOLUMES, scope)
    finish(export=export, by=by, now=NOW, volume=size)
    return b"".join(chunks.pieces(export, chunks.FILE))


def make_pending(by: Membership, form: str = "jsonl", scope: ReportScope = EVERYTHING) -> Export:
    """An export that the worker has not begun, as if it were a long one."""
    return ask_for(scope=scope, form=form, reason="the yearly audit", by=by, now=NOW, at_once=-1)

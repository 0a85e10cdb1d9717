"""Reports as tests make them."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.formats.every import FORMATS
from reviewers.reports.exporting.model import Report
from reviewers.reports.exporting.reading import ask, read_parts, read_report
from reviewers.reports.exporting.scope import Kind, Scope

EVERYTHING = Scope(Kind.PERIOD)


def report_of(by: Membership, scope: Scope = EVERYTHING) -> Report:
    """A report in memory."""
    return read_report(ask(scope, by))


def written(by: Membership, name: str, scope: Scope = EVERYTHING) -> bytes:
    """A report as a file."""
    return b"".join(FORMATS[name].write(read_parts(ask(scope, by))))


def of_item(item_id: UUID, **more: Any) -> Scope:
    return Scope(Kind.ITEM, item_id, **more)


def lines(content: bytes) -> list[dict[str, Any]]:
    """The lines of JSON of a file."""
    return [json.loads(line) for line in content.splitlines()]

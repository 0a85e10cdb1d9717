"""Makes the file of an export: in steps that are each kept before the next, as far as its format can be written so."""

from __future__ import annotations

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.asking import Asked, ask
from reviewers.reports.exporting.chunks import Measured
from reviewers.reports.exporting.formats.every import FORMATS, VOLUMES
from reviewers.reports.exporting.gathering import Documents
from reviewers.reports.exporting.lines import Lines
from reviewers.reports.exporting.reading import read_parts
from reviewers.reports.exporting.scope import read_scope
from reviewers.reports.exporting.volumes import ANSWERS, Volumes
from reviewers.reports.models import Export

AT_ONCE = 50
"""So many answers are written while somebody waits; more are written by the worker."""


def asked_by(export: Export, by: Membership) -> Asked:
    """What an export asks for. Raises ``Http404`` where that is not there."""
    return ask(read_scope(export.scope), by)


def make(export: Export, by: Membership, volume: int = ANSWERS) -> tuple[list[str], Measured]:
    """Write an export's file; returns the identifiers of its answers, and the file's measures. A volume has so many answers."""
    asked, form = asked_by(export, by), FORMATS[export.form]
    if form.is_lines:
        return Lines(export, asked).make()
    if form.document:
        return Documents(export, asked, form.document).make()
    if form.name == VOLUMES:
        return Volumes(export, asked, volume).make()
    seen: list[str] = []
    with transaction.atomic():
        measured = chunks.keep_all(export, chunks.FILE, form.write(read_parts(asked, seen)))
    return seen, measured

"""Writes a report in pieces that are put behind each other, a batch of answers each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.bundle.evidence import evidence_of
from reviewers.reports.exporting.chunks import packed
from reviewers.reports.exporting.events import Logs, open_logs
from reviewers.reports.exporting.formats.document import Element, write_elements
from reviewers.reports.exporting.formats.every import BUNDLE, FORMATS
from reviewers.reports.exporting.loading import Key, Loaded, list_keys, load_batch
from reviewers.reports.exporting.reading import build_batch, head


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a report: its text, the identifiers of its answers, where the next begins, how far its events reach, their evidence.

    Of one document it has, instead of a text, the elements of each group, how many, and those that stand in it once. All is packed, as it
    is kept, but for the last.
    """

    content: bytes
    answers: Sequence[str]
    after: Key
    logs: Logs
    events: bytes = b""
    documents: bytes = b""
    groups: Mapping[str, bytes] = field(default_factory=dict)
    count: int = 0
    once: Mapping[str, Element] = field(default_factory=dict)


def write_pieces(asked: Asked, form: str, *, after: Key | None, number: int) -> Iterator[Piece]:
    """The pieces behind ``after``, whose answers are counted from behind ``number``."""
    for keys in list_keys(asked.chosen.items, after=after):
        yield write_piece(asked, form, keys, number)
        number += len(keys)


def write_piece(asked: Asked, form: str, keys: Sequence[Key], number: int) -> Piece:
    """The piece of these answers, at most as many as a batch has."""
    logs = open_logs(asked.by.organisation_id)
    batch = load_batch(asked.chosen.items, asked.by, keys)
    if form == BUNDLE:
        return _with_evidence(asked, batch, keys[-1], number, logs)
    answers, ids = build_batch(asked, batch, logs, number), [str(each.item.id) for each in batch]
    if document := FORMATS[form].document:
        told = write_elements(document, head(asked), answers)
        groups = {group: packed(content) for group, content in told.groups.items()}
        return Piece(packed(b""), ids, keys[-1], logs, groups=groups, count=told.count, once=told.once)
    content = b"".join(FORMATS[form].write(answers))
    return Piece(packed(content), ids, keys[-1], logs)


def _with_evidence(asked: Asked, batch: list[Loaded], after: Key, number: int, logs: Logs) -> Piece:
    answers = list(build_batch(asked, batch, logs, number, whole=True))
    content = b"".join(FORMATS[BUNDLE].write(answers))
    evidence = evidence_of(asked.by.organisation_id, batch, answers, asked.profile)
    ids = [str(each.item.id) for each in batch]
    events, documents = packed(b"".join(evidence.events)), packed(b"".join(evidence.documents))
    return Piece(packed(content), ids, after, logs, events, documents)

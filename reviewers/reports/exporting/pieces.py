"""Writes a report in pieces that are put behind each other, a batch of answers each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.bundle.evidence import evidence_of
from reviewers.reports.exporting.chunks import packed
from reviewers.reports.exporting.collecting import uncollected
from reviewers.reports.exporting.events import Logs, open_logs
from reviewers.reports.exporting.formats.every import BUNDLE, FORMATS
from reviewers.reports.exporting.loading import Key, Loaded, list_keys, load_batch
from reviewers.reports.exporting.reading import build_batch


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a report: its text, the identifiers of its answers, where the next begins, how far its events reach, their evidence.

    Text and evidence are packed, as they are kept.
    """

    content: bytes
    answers: Sequence[str]
    after: Key
    logs: Logs
    events: bytes = b""
    documents: bytes = b""


def write_pieces(asked: Asked, form: str, *, after: Key | None, number: int) -> Iterator[Piece]:
    """The pieces behind ``after``, whose answers are counted from behind ``number``."""
    for keys in list_keys(asked.chosen.items, after=after):
        yield write_piece(asked, form, keys, number)
        number += len(keys)


def write_piece(asked: Asked, form: str, keys: Sequence[Key], number: int) -> Piece:
    """The piece of these answers, at most as many as a batch has."""
    logs = open_logs(asked.by.organisation_id)
    with uncollected():
        batch = load_batch(asked.chosen.items, asked.by, keys)
        if form == BUNDLE:
            return _with_evidence(asked, batch, keys[-1], number, logs)
        answers = build_batch(asked, batch, logs, number)
        content = b"".join(FORMATS[form].write(answers))
    return Piece(packed(content), [str(each.item.id) for each in batch], keys[-1], logs)


def _with_evidence(asked: Asked, batch: list[Loaded], after: Key, number: int, logs: Logs) -> Piece:
    answers = list(build_batch(asked, batch, logs, number, whole=True))
    content = b"".join(FORMATS[BUNDLE].write(answers))
    evidence = evidence_of(asked.by.organisation_id, batch, answers, asked.profile)
    ids = [str(each.item.id) for each in batch]
    events, documents = packed(b"".join(evidence.events)), packed(b"".join(evidence.documents))
    return Piece(packed(content), ids, after, logs, events, documents)

"""One reading of the records behind every format: its head, each answer, its end, in this order and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.building import build_answer
from reviewers.reports.exporting.concluding import conclude
from reviewers.reports.exporting.events import Logs, events_told, open_logs
from reviewers.reports.exporting.loading import Loaded, load_batches
from reviewers.reports.exporting.model import READING, VERSION, Answer, Header, Part, Report, gather
from reviewers.reports.exporting.trimming import forget, trim
from reviewers.reports.least.applying import apply_to_head, applying


def read_parts(asked: Asked, seen: list[str] | None = None) -> Iterator[Part]:
    """The report, part by part. The identifiers of its answers are put into ``seen``: those on record, whatever the report calls them."""
    logs = open_logs(asked.by.organisation_id)
    yield head(asked)
    number = 0
    for batch in load_batches(asked.chosen.items, asked.by):
        yield from build_batch(asked, batch, logs, number)
        number += len(batch)
        if seen is not None:
            seen += [str(each.item.id) for each in batch]
    yield conclude(asked, number, logs)


def read_report(asked: Asked) -> Report:
    """All of it in memory."""
    return gather(read_parts(asked))


def build_batch(asked: Asked, batch: list[Loaded], logs: Logs, number: int, *, whole: bool = False) -> Iterator[Answer]:
    """The answers of a batch, counted from behind ``number``. ``whole`` reads attributions with all their rows, which evidence needs.

    What was read of each is let go of before the next, but for ``whole`` ones: that takes less memory, and less time as well.
    """
    all_fields, apply = asked.scope.all_fields, applying(asked.profile, asked.by.organisation_id)
    for place, each in enumerate(batch, start=number + 1):
        trimmed = trim(each, all_fields=all_fields, whole=whole)
        events = events_told(each.row, logs, is_withheld=each.item.is_blind)
        yield apply(build_answer(place, each, trimmed, events), each)
        if not whole:
            forget(each)


def head(asked: Asked) -> Header:
    """What stands before all answers."""
    header = Header(
        version=VERSION,
        kind=asked.scope.kind.value,
        title=asked.chosen.title,
        organisation=asked.by.organisation.name,
        facts=asked.chosen.facts,
        all_fields=asked.scope.all_fields,
        reading=READING,
    )
    return apply_to_head(header, asked.profile)

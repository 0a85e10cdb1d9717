"""Import the turns of an export, as records that a program sends; then their labels, as labels from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from django.db import transaction
from django.utils import timezone

from attribution import InputError, canonical_bytes
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.snapshots.hooks import LabelsRefusedError, import_labels
from reviewers.snapshots.importers.export import ExportedTurns, PlacedTurn, in_batches
from reviewers.snapshots.importers.turns import ReadTurn
from reviewers.snapshots.ingest.actions import BATCH, IngestOutcome, ingest_lines
from reviewers.web.tenancy import tenant

_MOST_NAMES = 10
_LONGEST_SHOWN = 100


@dataclass
class ImportTally:
    """The result of an import."""

    frozen: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)


def import_batch(
    contents: Sequence[bytes], places: Sequence[str], *, organisation: Organisation, by: Actor, at: datetime, tally: ImportTally
) -> list[IngestOutcome]:
    """Freeze a batch; count what is known already, and note errors with their places. Return the outcomes."""
    outcomes = ingest_lines(lines=contents, organisation=organisation, by=by, at=at)
    for place, outcome in zip(places, outcomes, strict=True):
        if outcome.error:
            tally.refused.append(f"{place}: {outcome.error}")
        elif outcome.is_new:
            tally.frozen += 1
        else:
            tally.known += 1
    return outcomes


def shown(name: str) -> str:
    """Return a name from a file as a terminal can show it: without control characters, and not endless."""
    text = "".join(character if character.isprintable() else "�" for character in name)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


@dataclass
class ImportReport:
    """The result of an import, beside its tally: findings about turns, scores that are no labels, and what came of the labels."""

    findings: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    contradicting: int = 0
    labels: list[str] = field(default_factory=list)

    def note(self, read: ReadTurn) -> None:
        """Count what is missing in a turn."""
        self.findings.update(read.findings)
        self.left_out.update(read.labels.left_out)
        self.contradicting += len(read.labels.contradicting)

    def sentences(self, without_turn: int) -> Iterator[str]:
        """Yield the report, a sentence a line."""
        yield from (f"{words} ({count:,})" for words, count in self.findings.most_common())
        yield from self.labels
        if self.left_out:
            names = ", ".join(f"{shown(name)} ({count:,})" for name, count in self.left_out.most_common(_MOST_NAMES))
            yield f"Scores that are no labels, as they name no field of the context or say neither true nor false: {names}."
        if self.contradicting:
            yield f"Fields without a label, as their scores contradict each other: {self.contradicting:,}."
        if without_turn:
            yield f"Scores left out, as they are about no turn in these files: {without_turn:,}."


def import_export(
    *, export: ExportedTurns, source: str, organisation: Organisation, by: Actor, tally: ImportTally, advance: Callable[[int], object]
) -> ImportReport:
    """Freeze the turns of an export in batches, then store their labels; ``advance`` is told how many turns are done."""
    report = ImportReport()
    labelled: list[tuple[int, bytes]] = []
    tally.refused += export.refused
    for batch in in_batches(export.turns(), BATCH):
        with tenant.within(organisation.pk):
            for turn in _freeze(batch, organisation, by, timezone.now(), tally):
                report.note(turn)
                if turn.labels.labels:
                    labelled.append((len(labelled) + 1, canonical_bytes(turn.labelled())))
        advance(len(batch))
    if labelled:
        try:
            with tenant.within(organisation.pk):
                report.labels = import_labels(labelled, organisation, source, by, timezone.now())
        except LabelsRefusedError as error:
            tally.refused.append(f"{source}: no labels were brought in: {error}")
    return report


def _freeze(batch: Sequence[PlacedTurn], organisation: Organisation, by: Actor, at: datetime, tally: ImportTally) -> list[ReadTurn]:
    """Freeze a batch; return the turns that are stored now."""
    contents: list[bytes] = []
    sent: list[PlacedTurn] = []
    for turn in batch:
        try:
            content = _content(turn)
        except InputError as error:
            tally.refused.append(f"{turn.place}: {error}")
        else:
            contents.append(content)
            sent.append(turn)
    places = [turn.place for turn in sent]
    outcomes = import_batch(contents, places, organisation=organisation, by=by, at=at, tally=tally) if sent else []
    return [turn.read for turn, outcome in zip(sent, outcomes, strict=True) if not outcome.error]


def _content(turn: PlacedTurn) -> bytes:
    if turn.read.error:
        raise InputError("", turn.read.error)
    try:
        return canonical_bytes(turn.read.record)
    except RecursionError as error:
        raise InputError("", "nested too deep") from error


# What would come of it.

PREVIEWED = 20


def preview(*, turns: Iterator[PlacedTurn], organisation: Organisation, by: Actor, tally: ImportTally) -> Iterator[str]:
    """Yield a line for each of the first turns as it would be ingested, with its findings below it. They are ingested and rolled back."""
    for turn in islice(turns, PREVIEWED):
        try:
            content = _content(turn)
            with tenant.within(organisation.pk):
                outcome = _tried(content, organisation, by)
        except InputError as error:
            tally.refused.append(f"{turn.place}: {error}")
            continue
        if outcome.error:
            tally.refused.append(f"{turn.place}: {outcome.error}")
            continue
        yield f"{turn.place}: {_told(outcome, turn.read)}"
        yield from (f"    {finding}" for finding in turn.read.findings)


@transaction.atomic
def _tried(content: bytes, organisation: Organisation, by: Actor) -> IngestOutcome:
    (outcome,) = ingest_lines(lines=[content], organisation=organisation, by=by, at=timezone.now())
    transaction.set_rollback(True)
    return outcome


def _told(outcome: IngestOutcome, read: ReadTurn) -> str:
    state = "would be frozen" if outcome.is_new else "known already"
    parts = [f"{shown(outcome.external_id)} {state}", *_parts(read)]
    if outcome.attribution:
        parts.append(f"{outcome.attribution.found_count} of {outcome.attribution.field_count} fields found in the answer")
    return ", ".join(parts)


def _parts(read: ReadTurn) -> Iterator[str]:
    """Yield the parts of a record in names and numbers, without its texts."""
    record = read.record
    context = record.get("context")
    yield f"sections {', '.join(map(shown, context)) or 'none'}" if isinstance(context, dict) else "no context"
    for name, words in (("documents", "document"), ("tool_calls", "tool call"), ("earlier_turns", "earlier message")):
        if isinstance(record.get(name), list):
            yield _counted(len(record[name]), words)
    yield from (
        f"{words} {shown(str(record[name]))}" for name, words in (("model", "model"), ("prompt_version", "prompt")) if record.get(name)
    )
    if read.labels.labels:
        yield _counted(len(read.labels.labels), "label")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

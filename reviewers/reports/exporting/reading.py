"""One reading of the records behind every format: its head, each answer, its end, in this order and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.building import build_answer
from reviewers.reports.exporting.events import Logs, close, load_events, open_logs
from reviewers.reports.exporting.loading import Loaded, load_batches
from reviewers.reports.exporting.model import READING, VERSION, Answer, Closing, Header, Part, Report, gather
from reviewers.reports.exporting.scope import Chosen, Scope, choose
from reviewers.reports.exporting.trimming import trim
from reviewers.reports.least.applying import apply_to_answers, apply_to_end, apply_to_head
from reviewers.reports.least.profiles import Profile, profile_for


@dataclass(frozen=True, slots=True)
class Asked:
    """A report that is asked for: of what, by whom, and the answers that this means."""

    scope: Scope
    by: Membership
    chosen: Chosen

    @property
    def profile(self) -> Profile:
        """How much the report tells."""
        return profile_for(self.by, self.scope.profile)


def ask(scope: Scope, by: Membership) -> Asked:
    """Find out what a scope means. Raises ``Http404``."""
    return Asked(scope, by, choose(scope, by))


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
    yield end(asked, number, logs)


def read_report(asked: Asked) -> Report:
    """All of it in memory."""
    return gather(read_parts(asked))


def build_batch(asked: Asked, batch: list[Loaded], logs: Logs, number: int, *, whole: bool = False) -> list[Answer]:
    """The answers of a batch, counted from behind ``number``. ``whole`` reads attributions with all their rows, which evidence needs."""
    for each in batch if not (whole or asked.scope.all_fields) else ():
        trim(each)
    withheld = frozenset(each.item.id for each in batch if each.item.is_blind)
    events = load_events(asked.by.organisation_id, [each.item.id for each in batch], withheld, logs)
    answers = [
        build_answer(place, each, events.get(each.item.id, ()), all_fields=asked.scope.all_fields)
        for place, each in enumerate(batch, start=number + 1)
    ]
    return apply_to_answers(answers, batch, asked.profile, asked.by.organisation_id)


def end(asked: Asked, number: int, logs: Logs) -> Closing:
    """What stands behind so many answers."""
    return apply_to_end(close(number, logs), asked.profile)


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

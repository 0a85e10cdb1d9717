"""Read a report from the database: its head, each answer, and its end with the reviewers' agreement and the state of profiles.

Every format is written from this one reading, which is in order and takes bounded memory.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from django.db.models import Count
from msgspec.structs import replace

from attribution.calibration import Coefficient
from reviewers.accounts.permissions import Permission, may
from reviewers.calibration.lifecycle.states import state_of
from reviewers.calibration.models import CalibrationProfile
from reviewers.reports.disclosure.strategies import apply_to_end, apply_to_head, transformation_for
from reviewers.reports.exports.answers import build_answer, is_told
from reviewers.reports.exports.events import Logs, close, open_logs
from reviewers.reports.exports.loading import LoadedAnswer, load_batches
from reviewers.reports.exports.report import READING, VERSION, Answer, Closing, Header, Part, write_json, written
from reviewers.reports.exports.schema import Agreed, Calibrated, Figure, Group, Summary
from reviewers.reports.exports.scope import ReportRequest, ReportTooLarge, ScopeKind
from reviewers.reports.exports.summary import SummaryTally
from reviewers.review.agreement.statistics import (
    CITATIONS,
    UNSUPPORTED,
    AgreementLine,
    line_of,
    line_of_claims,
    load_citation_ratings,
    load_claim_ratings,
    load_field_ratings,
    reviewed_items,
)

_COMBINATION = ("snapshot__model", "snapshot__prompt_version", "snapshot__schema_version", "attribution__engine_version")


def conclude(asked: ReportRequest, number: int, logs: Logs, summary: Summary) -> Closing:
    """Return the end of a report with so many answers and these figures."""
    closing = replace(close(number, logs, summary), agreement=tuple(_agreement(asked)), calibration=tuple(_calibration(asked)))
    return apply_to_end(closing, asked.profile, asked.by.organisation_id)


def _agreement(asked: ReportRequest) -> Iterable[Agreed]:
    """Yield the agreement between reviewers, for plans and periods: over the answers that all their reviewers have finished."""
    if asked.scope.kind not in (ScopeKind.PLAN, ScopeKind.PERIOD) or not may(asked.by, Permission.READ_PLANS):
        return
    items = reviewed_items(asked.by.organisation, None, None).filter(pk__in=asked.items.values("pk"))
    yield _agreed(line_of("fields", load_field_ratings(items)))
    yield _agreed(line_of("citations", load_citation_ratings(items), CITATIONS))
    if claims := load_claim_ratings(items):
        told = _agreed(line_of_claims(claims))
        yield replace(told, figures=tuple([each for each in told.figures if each.name == UNSUPPORTED]))


def _agreed(line: AgreementLine) -> Agreed:
    figures = [_figure(name, each) for name, each in line.figures.items()] if line.is_enough else []
    return Agreed(line.name, line.rows, tuple(figures))


def _figure(name: str, coefficient: Coefficient) -> Figure:
    interval = coefficient.interval
    return Figure(name, coefficient.value, interval.low if interval else None, interval.high if interval else None)


def _calibration(asked: ReportRequest) -> Iterable[Calibrated]:
    """Yield every combination with its profile, those with the most answers first."""
    columns = (*_COMBINATION, "attribution__profile_id")
    counted = asked.items.order_by().values_list(*columns).annotate(answers=Count("pk"))
    rows = list(counted.order_by("-answers", *columns))
    profiles = _profiles(asked, {row[-2] for row in rows})
    for model, prompt, schema, engine, name, answers in rows:
        shown = Calibrated(model, prompt, schema, engine, name, answers, "uncalibrated")
        yield _with_profile(shown, profiles[name]) if name in profiles else shown


def _profiles(asked: ReportRequest, names: Iterable[str]) -> Mapping[str, CalibrationProfile]:
    if not may(asked.by, Permission.READ_CALIBRATION):
        return {}
    found = CalibrationProfile.objects.filter(organisation=asked.by.organisation_id, name__in=list(names))
    return {each.name: each for each in found.select_related("decision__decided_by", "retirement__retired_by", "labels", "combination")}


def _with_profile(shown: Calibrated, profile: CalibrationProfile) -> Calibrated:
    decision, retirement = getattr(profile, "decision", None), getattr(profile, "retirement", None)
    record = json.loads(zlib.decompress(bytes(profile.document)))
    return replace(
        shown,
        state=state_of(profile).label.lower(),
        labels=profile.labels.label_count,
        approved_by=decision.decided_by.name if decision else "",
        approved_at=written(decision.decided_at) if decision else "",
        retired_by=retirement.retired_by.name if retirement else "",
        retired_at=written(retirement.retired_at) if retirement else "",
        reason=(retirement.reason or "another profile took its place") if retirement else "",
        groups=tuple([_group(each) for each in record["evaluation"]["curve"]]),
    )


def _group(each: Mapping[str, Any]) -> Group:
    low, high = each["consistent"]
    return Group(each["forecast"], each["share"], each["labels"], low, high, each["inside"])


def read_parts(asked: ReportRequest, seen: list[str] | None = None) -> Iterator[Part]:
    """Yield the report, part by part, and add the identifiers of its answers on record to ``seen``."""
    logs, tally = open_logs(asked.by.organisation_id), SummaryTally()
    yield head(asked)
    number = 0
    for batch in load_batches(asked.items, asked.by):
        for answer in build_batch(asked, batch, logs, number):
            tally.add(answer)
            yield answer
        number += len(batch)
        if seen is not None:
            seen += [str(each.item.id) for each in batch]
    yield conclude(asked, number, logs, tally.summary)


def build_batch(asked: ReportRequest, batch: list[LoadedAnswer], logs: Logs, number: int, *, whole: bool = False) -> Iterator[Answer]:
    """Yield the answers of a batch, numbered after ``number``. ``whole`` keeps all rows of their attributions, which evidence needs.

    Otherwise what was read of each answer is freed before the next, which takes less memory and less time.
    """
    all_fields, apply = asked.scope.all_fields, transformation_for(asked.profile, asked.by.organisation_id)
    size = 0
    for place, each in enumerate(batch, start=number + 1):
        if not (whole or all_fields):
            each.item.keeps = partial(is_told, each.labelled)
        answer = apply(build_answer(place, each, logs, all_fields=all_fields), each)
        if asked.most is not None:
            size += len(write_json(answer))
            if size > asked.most:
                raise ReportTooLarge
        yield answer
        if not whole:
            each.item.forget()


def head(asked: ReportRequest) -> Header:
    """Return the head of a report."""
    header = Header(
        version=VERSION,
        kind=asked.scope.kind.value,
        title=asked.title,
        organisation=asked.by.organisation.name,
        facts=asked.facts,
        all_fields=asked.scope.all_fields,
        reading=READING,
        requested=asked.requested,
    )
    return apply_to_head(header, asked.profile, asked.by.organisation_id)

"""Reads of judged support: the newest judgement on each citation of a snapshot, and the cost of all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Func, Q, QuerySet, Sum

from attribution import Span
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.ingest.freeze import thaw_documents
from reviewers.snapshots.models import SnapshotAttribution, SupportJudgement, SupportOutcome
from reviewers.snapshots.queries import PENDING
from reviewers.web.models import unpack
from reviewers.web.statements import json_rows

_A_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """A model's judgement on a citation, or ``reason`` why there is none. ``sentence`` is a span of the source's text."""

    key: CitationKey
    verdict: str
    reason: str
    sentence: Span | None
    model: str
    judged_at: datetime


@dataclass(frozen=True, slots=True)
class SupportState:
    """The newest request for a snapshot, and the newest judgement on each citation. ``state`` is one of the outcomes, or pending."""

    number: int
    attribution_id: UUID
    state: str
    reason: str
    asked_at: datetime
    judgements: Mapping[CitationKey, Judgement]

    @property
    def is_open(self) -> bool:
        """True if it has no result yet."""
        return self.state == PENDING

    @property
    def is_judged(self) -> bool:
        """True if all citations were judged."""
        return self.state == SupportOutcome.JUDGED


_NEWEST_SUPPORT = """ARRAY(
    SELECT jsonb_build_object(
        'number', request.number, 'attribution', request.attribution_id, 'outcome', result.outcome, 'reason', result.reason,
        'asked_at', request.asked_at, 'judgements', ARRAY(
            SELECT DISTINCT ON (judged.source, judged.is_own, judged.start, judged.end, judged.repeat) jsonb_build_object(
                'source', judged.source, 'is_own', judged.is_own, 'start', judged.start, 'end', judged.end, 'repeat', judged.repeat,
                'verdict', judged.verdict, 'reason', judged.reason, 'sentence', ARRAY[judged.sentence_start, judged.sentence_end],
                'model', judged.model, 'judged_at', judged.judged_at
            )
            FROM snapshots_supportjudgement AS judged
            JOIN snapshots_supportrequest AS asked ON asked.id = judged.request_id
            JOIN snapshots_snapshotattribution AS any_of ON any_of.id = asked.attribution_id
            WHERE any_of.snapshot_id = own.snapshot_id
            ORDER BY judged.source, judged.is_own, judged.start, judged.end, judged.repeat, judged.id DESC
        )
    )
    FROM snapshots_snapshotattribution AS own
    JOIN snapshots_supportrequest AS request ON request.attribution_id = own.id
    LEFT JOIN snapshots_supportresult AS result ON result.request_id = request.id
    WHERE own.snapshot_id = %(expressions)s ORDER BY request.id DESC LIMIT 1
)"""


def newest_support(snapshot: str) -> Func:
    """Return an annotation with the newest request for a snapshot; ``snapshot`` names the column of its identifier."""
    return json_rows(_NEWEST_SUPPORT, snapshot)


def read_support_state(annotated: Sequence[Mapping[str, Any]]) -> SupportState | None:
    """Return the request in an annotation by ``newest_support``, or None if there was none."""
    if not annotated:
        return None
    (read,) = annotated
    judged = map(_read, read["judgements"])
    return SupportState(
        number=read["number"],
        attribution_id=UUID(read["attribution"]),
        state=read["outcome"] or PENDING,
        reason=read["reason"] or "",
        asked_at=datetime.fromisoformat(read["asked_at"]),
        judgements={each.key: each for each in judged},
    )


def _read(read: Mapping[str, Any]) -> Judgement:
    start, end = read["sentence"]
    return Judgement(
        key=CitationKey(*(read[name] for name in CitationKey._fields)),
        verdict=read["verdict"],
        reason=read["reason"],
        sentence=None if start is None else (start, end),
        model=read["model"],
        judged_at=datetime.fromisoformat(read["judged_at"]),
    )


def support_of(found: SnapshotAttribution, state: SupportState | None) -> dict[str, Any] | None:
    """Return the state of the newest request and the judgement on each citation, or None if no model was asked."""
    if state is None:
        return None
    documents = thaw_documents(unpack(found.documents.document), json.loads(bytes(found.snapshot.record)))
    texts = {each.id: each.content for each in documents.sources}
    told = sorted(state.judgements.values(), key=lambda each: (each.key.start or 0, each.key.source, each.key.repeat))
    return {
        "state": state.state,
        "number": state.number,
        "asked_at": state.asked_at.isoformat(),
        "reason": state.reason,
        "judgements": [_told(each, texts) for each in told],
    }


def _told(judgement: Judgement, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a judgement. Places of the cited words are those in the answer as the model wrote it, without citations."""
    return {
        "source": judgement.key.source,
        "start": judgement.key.start,
        "end": judgement.key.end,
        "found_afterwards": not judgement.key.is_own,
        "verdict": judgement.verdict or None,
        "refused": judgement.reason or None,
        "sentence": texts.get(judgement.key.source, "")[slice(*judgement.sentence)] if judgement.sentence else None,
        "model": judgement.model,
        "judged_at": judgement.judged_at.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class SupportCost:
    """Judgements of an organisation and their cost. ``price`` is in the currency of the prices; None if none are set."""

    judged: int
    refused: int
    repeated: int
    requests: int
    tokens_in: int
    tokens_out: int
    price: float | None


def judgements_of(organisation_id: UUID, without: QuerySet[Any] | None = None) -> QuerySet[SupportJudgement]:
    """Return an organisation's judgements, but for those on the snapshots ``without``, which are given as a query for their identifiers."""
    found = SupportJudgement.objects.filter(organisation=organisation_id)
    return found if without is None else found.exclude(request__attribution__snapshot__in=without)


def cost_of_support(judgements: QuerySet[SupportJudgement]) -> SupportCost:
    """Return the cost of judgements."""
    found = judgements.aggregate(
        judged=Count("pk"),
        refused=Count("pk", filter=Q(verdict="") & ~Q(reason="redacted")),
        repeated=Count("pk", filter=Q(requests=0)),
        requests=Sum("requests"),
        tokens_in=Sum("tokens_in"),
        tokens_out=Sum("tokens_out"),
    )
    counts = {name: int(value or 0) for name, value in found.items()}
    return SupportCost(**counts, price=price_of(counts["tokens_in"], counts["tokens_out"]))


def price_of(tokens_in: int, tokens_out: int) -> float | None:
    """Return the price of tokens at the configured prices per million, or None if none are set."""
    price_in, price_out = settings.JUDGE_PRICE_IN, settings.JUDGE_PRICE_OUT
    if not price_in and not price_out:
        return None
    return float((tokens_in * price_in + tokens_out * price_out) / _A_MILLION)

"""Why answers were withheld: the reasons that assistants gave, counted. They are text of the answers, so no rollup keeps them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.urls import reverse

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.quality.queries import Selection
from reviewers.review.visibility import viewer_of
from reviewers.snapshots.models import visible
from reviewers.web.statements import read_rows

MOST_READ = 500
"""Withheld answers that are read: their reasons are decompressed one by one."""
_HEAD = 16_384
"""Bytes of a stored document that are read and decompressed: it begins with the reason, because its keys are in their order."""
_REASON = re.compile(r'\{"abstention_reason":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u]){0,2000})')
MOST_REASONS = 20
MOST_LINKS = 3
LONGEST_REASON = 300

_WITHHELD = """
SELECT item.snapshot_id, item.answered_at, substring(documents.document FOR %(head)s)
FROM review_queueitem AS item JOIN snapshots_snapshotdocuments AS documents ON documents.attribution_id = item.attribution_id
WHERE item.organisation_id = %(organisation)s AND item.facets @> ARRAY['answer:withheld']
    AND item.answered_at >= %(since)s::timestamp AT TIME ZONE 'UTC' AND item.answered_at < %(end)s::timestamp AT TIME ZONE 'UTC'
    AND NOT (%(hides)s AND item.is_blind AND item.phase = 'independent')
    AND (%(model)s::text IS NULL OR quality_model(item.organisation_id, item.facets, item.snapshot_id) = %(model)s)
    AND (%(prompt)s::text IS NULL OR quality_prompt(item.organisation_id, item.facets, item.snapshot_id) = %(prompt)s)
ORDER BY item.answered_at DESC, item.snapshot_id DESC LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class Abstention:
    """A reason with the number of answers that were withheld for it, and the day and address of the newest of these."""

    reason: str
    answers: int
    newest: Sequence[tuple[datetime, str]]


@dataclass(frozen=True, slots=True)
class Abstentions:
    """The most frequent reasons of the ``read`` answers; ``others`` were withheld for rarer ones.

    ``shown`` are the answers whose words the reasons are, none if they are masked.
    """

    reasons: Sequence[Abstention]
    read: int
    others: int
    shown: Sequence[UUID]

    @property
    def is_full(self) -> bool:
        """True if as many answers were read as are read at most."""
        return self.read == MOST_READ


def read_abstentions(by: Membership, chosen: Selection) -> Abstentions:
    """Return why the newest withheld answers of a selection were withheld, without those that blind review hides from a member.

    Reasons that differ in spaces and capitals alone are one, as the newest has it.
    """
    hidden = hidden_from(by, Surface.QUALITY)
    found: dict[str, list[_Withheld]] = {}
    for each in _read(by, chosen):
        found.setdefault(each.reason.casefold(), []).append(each)
    ordered = sorted(found.values(), key=len, reverse=True)
    reasons = [
        Abstention(
            masked(same[0].reason, Text.ANSWER, hidden),
            len(same),
            [(each.at, reverse("item", args=[each.snapshot_id])) for each in same[:MOST_LINKS]],
        )
        for same in ordered[:MOST_REASONS]
    ]
    shown = [same[0].snapshot_id for same in ordered[:MOST_REASONS] if same[0].reason and Text.ANSWER not in hidden]
    return Abstentions(reasons, sum(map(len, ordered)), sum(map(len, ordered[MOST_REASONS:])), shown)


class _Withheld(NamedTuple):
    reason: str
    at: datetime
    snapshot_id: UUID


def _read(by: Membership, chosen: Selection) -> Iterator[_Withheld]:
    arguments: dict[str, Any] = {
        "organisation": by.organisation_id,
        "since": chosen.period.since,
        "end": chosen.period.until + timedelta(days=1),
        "hides": viewer_of(by).may_label,
        "model": chosen.model,
        "prompt": chosen.prompt,
        "most": MOST_READ,
        "head": _HEAD,
    }
    for snapshot_id, at, document in read_rows(_WITHHELD, arguments):
        reason = " ".join(_reason_of(bytes(document)).split())
        yield _Withheld(visible(reason[:LONGEST_REASON]), at, snapshot_id)


def _reason_of(head: bytes) -> str:
    """Return the reason at the beginning of a stored document, as far as it is shown: an answer object may give a very long one."""
    found = _REASON.match(zlib.decompressobj().decompress(head, _HEAD).decode("utf-8", "ignore"))
    return str(json.loads(f'"{found[1]}"')) if found else ""

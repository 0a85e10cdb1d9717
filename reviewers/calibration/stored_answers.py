"""What stored answers say of labelled rows beside their labels: how densely they cite, and how much of a long text they have."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from attribution import MarkerStatus, fold_words
from attribution.calibration import Observation
from reviewers.review.models import QueueItem

_SHARE = re.compile(r"(\d+) of (\d+) content words")
_AT_ONCE = 500


def words_per_marker(observations: Iterable[Observation]) -> Mapping[str, float]:
    """By message: how many words of the clean answer there are to a marker, as the engine counts both.

    One marker alone is as sparse as can be, however short the answer is: the engine says so too.
    """
    return {message: _words_per_marker(document) for message, document in _documents(observations)}


def shares(observations: Iterable[Observation]) -> Mapping[str, float]:
    """By label: the share of a long text's words that the answer has. Scores are capped, so it is read where it is written out."""
    its = list(observations)
    wanted = {(each.message, each.section, each.path): each.id for each in its}
    found = {}
    for message, document in _documents(its):
        for row in document["fields"]:
            name = wanted.get((message, row["section"], row["path"]))
            counted = _SHARE.match(row.get("trace") or "")
            if name and counted:
                found[name] = int(counted[1]) / int(counted[2])
    return found


def answers_of(observations: Iterable[Observation]) -> set[UUID]:
    """The answers that labels are on. Those of an export are named by another site, and may be anything."""
    return {number for each in observations if (number := _number(each.message))}


def _number(message: str) -> UUID | None:
    try:
        return UUID(message)
    except ValueError:
        return None


def _words_per_marker(document: Mapping[str, Any]) -> float:
    count = sum(marker["status"] != MarkerStatus.MALFORMED for marker in document["markers"])
    return len(fold_words(document["clean_text"])) / count if count > 1 else math.inf


def _documents(observations: Iterable[Observation]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The attribution that is shown of each answer, some at a time."""
    answers = sorted(answers_of(observations))
    for begin in range(0, len(answers), _AT_ONCE):
        items = QueueItem.objects.filter(pk__in=answers[begin : begin + _AT_ONCE])
        for snapshot_id, document in items.values_list("snapshot_id", "attribution__document"):
            yield str(snapshot_id), json.loads(zlib.decompress(bytes(document)))

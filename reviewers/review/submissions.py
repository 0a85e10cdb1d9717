"""What a submission covers: every verdict of a review, in an order of its own, under one digest."""

from __future__ import annotations

import hashlib
from typing import Any

from attribution import canonical_bytes
from reviewers.review.items import Item


def covered_by_submission(item: Item) -> tuple[int, bytes]:
    """How many verdicts there are, and their SHA-256.

    A review without any of citations is a list of the verdicts on fields, by section and path; with some, both lists stand by name.
    """
    fields: list[Any] = sorted([*label.key, label.verdict.value, str(label.id)] for label in item.current.values() if label.is_verdict)
    given = [label for label in item.current_citations.values() if label.is_verdict]
    citations: list[Any] = sorted(([*label.key, label.verdict.value, str(label.id)] for label in given), key=canonical_bytes)
    covered = {"fields": fields, "citations": citations} if citations else fields
    return len(fields) + len(citations), hashlib.sha256(canonical_bytes(covered)).digest()

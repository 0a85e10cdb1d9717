"""What has changed between two statements, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reviewers.review.signing.loading import Written
from reviewers.review.signing.statement import Statement, citation_of, decided_of, field_of


def changes_between(before: Statement, after: Statement) -> list[str]:
    """Such as ``2 labels``, ``1 label of a citation``; empty if there are none."""
    found = [
        _counted(_differing(before["fields"], after["fields"], field_of), "label", "labels"),
        _counted(_differing(before["citations"], after["citations"], citation_of), "label of a citation", "labels of citations"),
    ]
    decided = _differing(before.get("decisions", ()), after.get("decisions", ()), decided_of)
    found.append(_counted(decided, "decision of a lead", "decisions of a lead"))
    found += [words for name, words in _WORDS.items() if before.get(name) != after.get(name)]
    return [words for words in found if words]


_WORDS = {
    "snapshot": "the frozen record",
    "attribution": "the attribution",
    "documents": "what is found of documents",
    "found_afterwards": "citations found afterwards",
    "review": "the submission",
    "object": "the object",
    "reopened": "reopened for another review",
    "organisation": "the organisation",
}


def _differing(before: Sequence[Written], after: Sequence[Written], key: Callable[[Written], tuple[Any, ...]]) -> int:
    """How many fields, or citations, have another label, one more or none any more."""
    old, new = ({key(label): label for label in labels} for labels in (before, after))
    return sum(old.get(name) != new.get(name) for name in old.keys() | new.keys())


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""

"""Which records a bundle may disclose with a masked report: those that hold no text that somebody wrote."""

from __future__ import annotations

from collections.abc import Iterable

from reviewers.reports.exporting.model import Answer
from reviewers.reports.exporting.told import Said


def bare_keys_of(answers: Iterable[Answer]) -> dict[str, set[str]]:
    """Labels without a note or a reason, and submissions, by their tables. Signatures hold digests of notes, which tell short ones."""
    keys: dict[str, set[str]] = {"review_label": set(), "review_citationlabel": set(), "review_submission": set()}
    for answer in answers:
        keys["review_label"].update(said.label for row in answer.rows for said in row.said if _is_bare(said))
        cited = [each for document in answer.documents for each in document.citations]
        keys["review_citationlabel"].update(said.label for each in cited for said in each.said if _is_bare(said))
        keys["review_submission"].update(each.id for each in answer.reviews)
    return keys


def _is_bare(said: Said) -> bool:
    return not (said.note or said.reason)

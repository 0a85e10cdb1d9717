"""What is shown of answers: shares, each with what it counts, among what, and how the queue is asked for those answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Counts = Mapping[str, int]
"""Figures by name."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of answers. ``less`` is taken off what it is among; ``query`` are the filters of the queue that find what it counts.

    ``leads_to`` says what the queue then shows, where that is not what is counted.
    """

    key: str
    title: str
    says: str
    counts: Sequence[str]
    query: Sequence[tuple[str, str]]
    among: str = "answers"
    less: str = ""
    leads_to: str = ""

    def hits(self, counts: Counts) -> int:
        """How many answers it counts."""
        return sum(counts.get(name, 0) for name in self.counts)

    def trials(self, counts: Counts) -> int:
        """Among how many."""
        return counts.get(self.among, 0) - (counts.get(self.less, 0) if self.less else 0)


def _guardrail(code: str, title: str, says: str) -> Measure:
    return Measure(code, title, says, (code,), (("guardrail", code),))


MEASURES = (
    Measure(
        "adoption",
        "Adoption",
        "answers with a citation that resolves",
        ("by_citation", "by_mixed"),
        (("source", "citation"), ("source", "mixed")),
    ),
    _guardrail("contradicted", "Contradiction", "answers that say another value than the record"),
    _guardrail("unknown", "Unknown fields", "answers that cite a field there is not"),
    _guardrail("over_cited", "Over-citation", "answers with more markers than their length bears"),
    _guardrail("duplicate", "Duplicates", "answers that cite a field twice"),
    _guardrail("hidden", "Hidden sections", "answers that cite what was withheld from the prompt"),
    _guardrail("echoed", "Echoed markers", "answers that repeat a marker they were given"),
    Measure(
        "coverage",
        "Citation coverage",
        "answers given with documents that cite some by themselves",
        ("citing",),
        (("validity", "red"),),
        "documented",
        "withheld",
        "those that cite none",
    ),
    Measure("withheld", "Abstention", "answers withheld, of those with documents", ("withheld",), (("answer", "withheld"),), "documented"),
    Measure("repaired", "Repair", "answers that had documents attached afterwards", ("repaired",), (("answer", "repaired"),), "documented"),
)

SOURCES = (
    ("by_citation", "citation", "Citation"),
    ("by_mixed", "mixed", "Mixed"),
    ("by_heuristic", "heuristic", "Heuristic"),
    ("by_none", "none", "None"),
)
"""What the source mix is made of: figure, the queue's value, words."""

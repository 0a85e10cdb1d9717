"""What an attribution says that plans ask for: the strata its rows fall into, and whether a trigger calls for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reviewers.review.plans.drawing import Candidate

NOTHING_FOUND = "nothing found"
_BINS = ((0.9, "0.90 and above"), (0.7, "0.70 to 0.90"), (0.5, "0.50 to 0.70"), (0.0, "below 0.50"))


@dataclass(frozen=True, slots=True)
class Triggers:
    """What calls later answers in: a row surer than nothing but below a confidence, an expected field not found, a guardrail."""

    below: float | None = None
    missing: Sequence[str] = ()
    guardrails: Sequence[str] = ()

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Triggers:
        """Out of a plan."""
        return cls(stored.get("below"), tuple(stored.get("missing", ())), tuple(stored.get("guardrails", ())))

    def as_data(self) -> dict[str, Any]:
        """As a plan keeps them; empty where there are none."""
        named = {"below": self.below, "missing": list(self.missing), "guardrails": list(self.guardrails)}
        return {name: value for name, value in named.items() if value not in (None, [])}

    def calling_for(self, document: Mapping[str, Any]) -> str:
        """What calls for an answer, in words; empty where nothing does."""
        found = {f"{row['section']}.{row['path']}": row for row in document["fields"] if "method" in row}
        if self.below is not None and any(row["confidence"] < self.below for row in found.values()):
            return f"confidence below {self.below:.2f}"
        missing = next((name for name in self.missing if name not in found), None)
        if missing is not None:
            return f"{missing} not found"
        codes = {finding["code"] for finding in document["guardrails"]}
        return next((f"guardrail {code}" for code in self.guardrails if code in codes), "")


def strata_of(document: Mapping[str, Any]) -> frozenset[str]:
    """Method, field type and confidence of each found row."""
    rows = [row for row in document["fields"] if "method" in row]
    return frozenset(f"{row['method']}, {row['field_type']}, {bin_of(row['confidence'])}" for row in rows) or frozenset({NOTHING_FOUND})


def bin_of(confidence: float) -> str:
    """The bin of a confidence, in words."""
    return next(words for least, words in _BINS if confidence >= least)


def assign(strata: Iterable[tuple[UUID, frozenset[str]]]) -> list[Candidate]:
    """Each answer in one stratum: the rarest of those that its rows fall into, so that rare ones are not drowned by common ones."""
    listed = list(strata)
    counts = Counter(stratum for _, each in listed for stratum in each)
    return [Candidate(pk, min(each, key=lambda stratum: (counts[stratum], stratum))) for pk, each in listed]

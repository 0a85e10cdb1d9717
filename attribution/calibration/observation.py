"""An observation: a labelled row, as it was then, and the truth about the field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attribution.confidence import Path, node_path
from attribution.model import Word

NOTHING = "none"
"""The method and the rule of a field that is neither cited nor found."""


class Stream(Word):
    """The way by which a row came to be labelled.

    Guarantees rest on the audit only: what was labelled elsewhere is a sample of nothing.
    """

    AUDIT = "audit"
    BOOST = "boost"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Scope:
    """The combination that a calibration holds for. Another value of any of these is another combination."""

    organisation: str = ""
    model: str = ""
    prompt: str = ""
    schema: str = ""
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One label. ``is_used`` is the truth about the field: drawn on, not drawn on, or nothing where the reviewer cannot judge.

    ``score`` is the row's raw score, ``uncapped_score`` what it was before a cap; both between 0 and 1 and the same where there was
    none. ``fired`` names all rules that fired, a near miss included. ``inclusion`` is the probability with which the row was
    chosen for labelling, above 0 and at most 1.
    """

    id: str
    message: str
    conversation: str
    section: str
    path: str
    field_type: str
    method: str
    rule: str
    score: float
    is_used: bool | None
    uncapped_score: float | None = None
    is_cited: bool = False
    fired: tuple[str, ...] = ()
    stream: Stream = Stream.AUDIT
    stratum: str = ""
    inclusion: float = 1.0
    scope: Scope = Scope()
    reviewer: str = ""
    is_blind: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.inclusion <= 1:
            raise ValueError(f"label {self.id}: a probability of inclusion is above 0 and at most 1, and {self.inclusion} is not")

    @property
    def claims(self) -> bool:
        """True if the row said that the answer draws on the field."""
        return self.method != NOTHING

    @property
    def is_ambiguous(self) -> bool:
        """True if the score was capped."""
        return self.uncapped_score is not None and self.uncapped_score > self.score and not self.is_cited

    @property
    def node_path(self) -> Path:
        """The row's place in a calibration table."""
        rule = f"{self.method}.{self.rule}"
        return node_path(rule, self.field_type, self.score, self.section, self.path, is_ambiguous=self.is_ambiguous)

    @property
    def weight(self) -> float:
        """The number of rows that the label represents."""
        return 1 / self.inclusion


def judged(observations: Iterable[Observation]) -> list[Observation]:
    """Return the observations with a truth: rows that nobody could judge are left out of estimates."""
    return [each for each in observations if each.is_used is not None]

"""How well the answers of a time are covered by citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from attribution.documents.result import DocumentAttribution
from attribution.documents.validity import Colour

_TOP = 3
_WELL_SOURCED = (1, 2)


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """Counts of answers; the shares are between 0 and 1, and nothing where there are no answers.

    ``cited`` have a citation of the model's that resolves; ``abstained`` were withheld; ``repaired`` had sources attached afterwards;
    ``well_sourced`` have three sources or fewer on top, all of tier 1 or 2.
    """

    answers: int
    cited: int
    abstained: int
    repaired: int
    well_sourced: int

    @property
    def citation_coverage(self) -> float | None:
        """The share of answers with a citation, of those that were given at all."""
        given = self.answers - self.abstained
        return self.cited / given if given else None

    @property
    def abstention_rate(self) -> float | None:
        """The share of answers that were withheld."""
        return self.abstained / self.answers if self.answers else None

    @property
    def repair_rate(self) -> float | None:
        """The share of answers that were repaired."""
        return self.repaired / self.answers if self.answers else None

    @property
    def well_sourced_share(self) -> float | None:
        """The share of answers whose top three sources are of tier 1 or 2."""
        return self.well_sourced / self.answers if self.answers else None


def coverage_report(turns: Iterable[DocumentAttribution]) -> CoverageReport:
    """Count ``turns``; a question back has nothing to cite and is not counted."""
    answers = cited = abstained = repaired = well_sourced = 0
    for turn in turns:
        if turn.validity.colour is Colour.NOTHING_TO_CITE:
            continue
        answers += 1
        abstained += bool(turn.abstention_reason)
        cited += bool(turn.cited) and not turn.abstention_reason
        repaired += turn.is_repaired
        top = top_sources(turn)
        well_sourced += bool(top) and all(turn.trust[name].tier in _WELL_SOURCED for name in top)
    return CoverageReport(answers, cited, abstained, repaired, well_sourced)


def top_sources(turn: DocumentAttribution) -> list[str]:
    """The ids of the three sources that an answer rests on most: cited most often, the first cited before the others."""
    counts = Counter([name for reference in turn.references for name in reference.sources])
    return [name for name, _ in counts.most_common(_TOP)]

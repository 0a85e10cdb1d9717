"""How well the answers of a time are covered by citations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from attribution.documents.model import CitableSource
from attribution.documents.result import DocumentAttribution

_TOP = 3


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


def coverage_report(turns: Iterable[DocumentAttribution], tier_of: Callable[[CitableSource], int | None]) -> CoverageReport:
    """Count ``turns``. ``tier_of`` gives the provenance tier of a source, 1 to 4, or nothing for an unknown one."""
    answers = cited = abstained = repaired = well_sourced = 0
    for turn in turns:
        answers += 1
        abstained += bool(turn.abstention_reason)
        cited += bool(turn.cited) and not turn.abstention_reason
        repaired += turn.is_repaired
        top = top_sources(turn)
        well_sourced += bool(top) and all((tier_of(source) or 9) <= 2 for source in top)
    return CoverageReport(answers, cited, abstained, repaired, well_sourced)


def top_sources(turn: DocumentAttribution) -> list[CitableSource]:
    """The three sources that an answer rests on most: cited most often, the first cited before the others."""
    counts: dict[str, int] = {}
    for reference in turn.references:
        for name in reference.sources:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(counts, key=lambda name: -counts[name])[:_TOP]
    by_id = {source.id: source for source in turn.sources}
    return [by_id[name] for name in names]

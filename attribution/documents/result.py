"""The result for an answer that cites documents, and how well the answers of a time are covered by citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from attribution.documents.references import AFTERWARDS, Issue, Reference, ReferenceStatus
from attribution.documents.sources import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust
from attribution.documents.validity import Colour, Validity
from attribution.documents.wording import sentences_of
from attribution.model import Span


class Claim(NamedTuple):
    """A statement that the model made apart from the text: where it is in it, its citations, and how sure the model says it is."""

    text: str
    span: Span | None
    references: tuple[int, ...]
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class DocumentAttribution:
    """The clean text, every source, every citation looked up, and everything that is wrong.

    ``raw_text`` is the answer as the model wrote it; ``removed`` are its parts that ``clean_text`` is without. ``sources`` are
    all that could be cited, documents first. ``issues`` are in the order of the citations they are about.
    ``trust`` is that of each source by its id, ``answer_trust`` that of those cited; ``validity`` tells how well the text is covered.
    ``abstention_reason`` says why an assistant withheld its answer.
    """

    raw_text: str
    clean_text: str
    removed: tuple[Span, ...]
    sources: tuple[CitableSource, ...]
    references: tuple[Reference, ...]
    issues: tuple[Issue, ...]
    validity: Validity
    trust: Mapping[str, SourceTrust]
    answer_trust: AnswerTrust
    claims: tuple[Claim, ...] = ()
    unanswered_aspects: tuple[str, ...] = ()
    abstention_reason: str = ""
    engine_version: str = ""

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the sources that the model cites, in order of first citation."""
        given = [name for each in self.references if each.status not in AFTERWARDS for name in each.sources]
        return tuple(dict.fromkeys(given))

    @property
    def is_repaired(self) -> bool:
        """True if sources were attached afterwards."""
        return any(each.status is ReferenceStatus.REPAIRED for each in self.references)

    @property
    def sentence_count(self) -> int:
        """The number of sentences of the clean text, of which ``validity`` tells how many citations each has."""
        return len(sentences_of(self.clean_text))

    @property
    def is_well_sourced(self) -> bool:
        """True if the three sources that it rests on most, or those there are, are all of tier 1 or 2."""
        top = top_sources(self)
        return bool(top) and all(self.trust[name].tier in _WELL_SOURCED for name in top)


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
        well_sourced += turn.is_well_sourced
    return CoverageReport(answers, cited, abstained, repaired, well_sourced)


def top_sources(turn: DocumentAttribution) -> list[str]:
    """The ids of the three sources that an answer rests on most: cited most often, the first cited before the others."""
    counts = Counter([name for reference in turn.references for name in reference.sources])
    return [name for name, _ in counts.most_common(_TOP)]

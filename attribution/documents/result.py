"""All that is said of an answer that cites documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from attribution.documents.model import AFTERWARDS, Issue, Reference, ReferenceStatus
from attribution.documents.source import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust
from attribution.documents.validity import Validity
from attribution.model import Span


class Claim(NamedTuple):
    """A statement that the model made apart from the text: where it stands in it, its citations, and how sure the model says it is."""

    text: str
    span: Span | None
    references: tuple[int, ...]
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class DocumentAttribution:
    """The clean text, every source, every citation looked up, and everything that is wrong.

    ``raw_text`` is the answer as the model wrote it; ``removed`` are the parts of it that ``clean_text`` is without. ``sources`` are
    all that could be cited, documents first. ``issues`` stand in the order of the citations they are about.
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

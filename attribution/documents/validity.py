"""The result for an answer that cites documents, and its validity: how well citations cover it, in a colour with the reason in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from attribution.documents.references import AFTERWARDS, Issue, IssueCode, Reference, ReferenceStatus
from attribution.documents.sources import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustRegistry, day_of, trust_in_answer, trust_in_source
from attribution.documents.wording import sentences_of
from attribution.model import Span, Word

FEWEST_CITATIONS = 2
FEWEST_PER_SENTENCE = 0.3


class Colour(Word):
    """How well an answer is covered by citations. Never shown without its reason. A question back has nothing to cite."""

    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"
    NOTHING_TO_CITE = "nothing_to_cite"


@dataclass(frozen=True, slots=True)
class Validity:
    """A colour, the citations for each sentence that it rests on, and the reason in one sentence."""

    colour: Colour
    per_sentence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Failures:
    """How many citations of the model failed a check, and the gravest of these checks in words; empty where none did."""

    citations: int = 0
    worst: str = ""

    def __str__(self) -> str:
        """In words, as they are beside a colour."""
        return f"{_counted(self.citations)} failed a check: {self.worst}"


NO_FAILURES = Failures()


NOTHING_TO_CITE = Validity(Colour.NOTHING_TO_CITE, 0.0, "the answer only asks back")


def judge_validity(
    citations: int,
    sentences: int,
    *,
    is_repaired: bool = False,
    is_lost: bool = False,
    failures: Failures = NO_FAILURES,
    doubt: str = "",
) -> Validity:
    """Judge an answer by how many citations the model has made in how many sentences, and whether one failed a check.

    Sources that were attached afterwards are no citations: they lift an answer without any to yellow and no further.
    ``is_lost`` says that there are citations which mean no source: they do not count either, but it is not said that there are none. Nor is
    it where all that fails could not be read.
    With a failed check an answer is yellow at most, and with a ``doubt`` about what it cites, which says why.
    """
    if citations < 0 or sentences < 0:
        raise ValueError("citations and sentences are counted from 0 up")
    per_sentence = round(citations / max(1, sentences), 4)
    if not citations:
        nothing = _nothing(failures, is_lost=is_lost)
        if is_repaired:
            return Validity(Colour.YELLOW, 0.0, f"{nothing}; sources were attached afterwards")
        return Validity(Colour.RED, 0.0, nothing)
    counted = f"{_counted(citations)} in {sentences} sentence{'' if sentences == 1 else 's'}"
    lacking = _lacking(citations, sentences, failures, doubt, is_repaired=is_repaired)
    return Validity(Colour.YELLOW if lacking else Colour.GREEN, per_sentence, counted + lacking)


def _nothing(failures: Failures, *, is_lost: bool) -> str:
    """Say of an answer without a citation that counts what it has instead."""
    if is_lost:
        return "the answer cites nothing that was given to it"
    return f"the answer cites nothing that can be read; {failures}" if failures.worst else "the answer cites nothing"


def _lacking(citations: int, sentences: int, failures: Failures, doubt: str, *, is_repaired: bool) -> str:
    """Say why an answer that cites is not green; nothing where it is."""
    if failures.worst:
        return f"; {failures}"
    if doubt:
        return f"; {doubt}"
    if citations < FEWEST_CITATIONS:
        return ": one citation is few"
    if citations < FEWEST_PER_SENTENCE * max(1, sentences):
        return ": fewer than three in ten"
    return ", and sources were attached afterwards" if is_repaired else ""


def _counted(citations: int) -> str:
    return f"{citations} citation{'' if citations == 1 else 's'}"


_MOST_SENTENCES = 8
_LONGEST_OPENER = 25
_OPENER = re.compile(
    r"thanks?\b|thank you|hi\b|hello|sure\b|of course|certainly|okay|ok\b|great\b|good question|happy to|glad to|sorry|i understand"
    r"|i['’]?(?:d| would) (?:like|be (?:happy|glad))|i(?:['’]m| am) (?:sorry|happy|glad|not sure (?:which|what|who|when|how))"
    r"|i (?:can|want to|need|have) |to (?:help|answer|be sure|make sure|give|point|find)|before i |so that i |let me |just to "
    r"|one (?:quick |more )?question|a (?:few|quick)",
    re.IGNORECASE,
)
_ASKED = r"(?:tell me|let me know|share|clarify|describe|specify|say which|give me)\b"
_REQUEST = re.compile(rf"(?:and |or )?(?:please |could you (?:please )?|can you (?:please )?)?{_ASKED}", re.IGNORECASE)
_LEAD = re.compile(r"[\s\"“‘(*_>•–-]*(?:\d{1,2}[.)]\s+)?")
_STATES = re.compile(r"\d|\b(?:should|must|never|always|because|is|are|was|were|causes?|means?)\b", re.IGNORECASE)


def is_clarifying_question(answer: str) -> bool:
    """Return True if an answer asks the user for what it needs to know and says nothing else that could be cited."""
    if "?" not in answer and not _REQUEST.search(answer):
        return False
    sentences = [answer[start:end] for start, end in sentences_of(answer)]
    kinds = [_kind(sentence[_end_of_lead(sentence) :].rstrip('"”’)*_ ')) for sentence in sentences]
    return 0 < len(kinds) <= _MOST_SENTENCES and "statement" not in kinds and "question" in kinds


def _end_of_lead(sentence: str) -> int:
    found = _LEAD.match(sentence)
    return found.end() if found else 0


def _kind(sentence: str) -> str:
    if not any(letter.isalpha() for letter in sentence):
        return "opener"
    if sentence.endswith("?") or (_REQUEST.match(sentence) and not any(letter.isdigit() for letter in sentence)):
        return "question"
    is_short = len(sentence.split()) <= _LONGEST_OPENER
    return "opener" if is_short and _OPENER.match(sentence) and not _STATES.search(sentence[8:]) else "statement"


_OF_THE_MODEL = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL)


def trust_in_sources(
    sources: Sequence[CitableSource], answered_on: date | None, registry: TrustRegistry | None = None
) -> dict[str, SourceTrust]:
    """Trust in each source by its id."""
    return {
        source.id: trust_in_source(source.uri, day_of(source.published_at), answered_on, registry, name=source.origin) for source in sources
    }


_FAILURES = {
    IssueCode.OPPOSITE: "the source seems to say the opposite",
    IssueCode.QUOTE_NOT_FOUND: "the quote does not stand in its source",
    IssueCode.SPAN_OUTSIDE: "the quote’s place is outside its source",
    IssueCode.SPAN_DIFFERS: "the quote does not stand at its place",
    IssueCode.FIGURE_NOT_FOUND: "a figure does not stand in its source",
    IssueCode.NAME_NOT_FOUND: "a name does not stand in its source",
    IssueCode.UNKNOWN_SOURCE: "a citation names no source that was given",
    IssueCode.UNKNOWN_CHUNK: "a citation names no chunk that was given",
    IssueCode.OUT_OF_RANGE: "a citation’s number has no source",
    IssueCode.AMBIGUOUS: "a citation fits more than one source",
    IssueCode.MALFORMED: "a citation is not written so that it can be read",
}
"""Checks that cap validity and trust when a citation fails them, the gravest first."""


LISTED_ONLY = "its sources are only listed, the text cites none of them"
_OUTDATED = "every source that it cites is old"


def failures_of(references: Sequence[Reference], issues: Iterable[Issue]) -> Failures:
    """Return the citations of the model that failed a check. What was attached or found afterwards is not the model's.

    A malformed citation is no reference, so each issue about one counts by itself.
    """
    made = {each.ordinal for each in references if each.status not in AFTERWARDS}
    failed = [each for each in issues if each.code in _FAILURES and (each.reference in made or _is_unread(each))]
    worst = next((words for code, words in _FAILURES.items() if any(each.code is code for each in failed)), "")
    unread = sum(map(_is_unread, failed))
    return Failures(len({each.reference for each in failed if each.reference is not None}) + unread, worst)


def _is_unread(issue: Issue) -> bool:
    return issue.code is IssueCode.MALFORMED and issue.reference is None


def is_listed_only(references: Sequence[Reference]) -> bool:
    """Return True if sources are in the list at the end of an answer and nowhere in its text."""
    statuses = {each.status for each in references}
    return ReferenceStatus.LISTED in statuses and statuses.isdisjoint(_OF_THE_MODEL)


def trust_in_cited(
    cited: Sequence[str], trust: dict[str, SourceTrust], registry: TrustRegistry | None = None, failure: str = ""
) -> AnswerTrust:
    """Return the trust in an answer by the sources that the model cites; ``failure`` is the check that a citation failed, if any."""
    return trust_in_answer([trust[name] for name in cited], registry, failure=failure)


def validity_of(references: Sequence[Reference], clean: str, failures: Failures, trust: Mapping[str, SourceTrust]) -> Validity:
    """Count what the model cites, source by source. Sources that are only in its list are one citation together, however many."""
    if not failures.citations and all(each.status in AFTERWARDS for each in references) and is_clarifying_question(clean):
        return NOTHING_TO_CITE
    sources = [trust[name] for each in references if each.status in _OF_THE_MODEL for name in each.sources]
    doubt = _OUTDATED if sources and all(each.is_outdated for each in sources) else ""
    cited = sum([len(each.sources) for each in references if each.status in _OF_THE_MODEL])
    is_listed = any(each.status is ReferenceStatus.LISTED for each in references)
    is_repaired = any(each.status is ReferenceStatus.REPAIRED for each in references)
    is_lost = any(each.status is ReferenceStatus.UNRESOLVED for each in references)
    return judge_validity(
        cited or int(is_listed),
        len(sentences_of(clean)),
        is_repaired=is_repaired,
        is_lost=is_lost,
        failures=failures,
        doubt=LISTED_ONLY if is_listed and not cited else doubt,
    )


# The result for an answer that cites documents, and how well the answers of a time are covered by citations.


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

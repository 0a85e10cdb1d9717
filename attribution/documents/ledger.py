"""The references of an answer: each citation looked up, with the words of its sentence that it supports and what is wrong with it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from attribution.budget import MOST_TOLD, Budget
from attribution.documents.references import Grammar, Issue, IssueCode, Reference, ReferenceStatus, Target, WrittenCitation
from attribution.documents.removal import CleanText
from attribution.documents.resolution import SourceIndex
from attribution.model import Span
from attribution.text import clause_ends

_FEWEST_WORDS = 3
_FEWEST_SIGNS = 6
_FARTHEST = 2_000
_MOST_SIGNS = 80
_MOST_FLOORS = 4
_STOPS = " \t\r\n.!?,;:。！？，；："
_CLOSING = _STOPS + ")]\"'”’*_"
_ENDS = frozenset(".!?\n。！？")
_EASTERN_END = re.compile("[。！？]")
_OPENING = re.compile(r"[ \t\r\n]*(?:(?:[-*+•>]|\d{1,3}[.)]|#{1,6})[ \t]+)*[*_]{0,3}[,;:.!?)\]–—-]*[ \t]*")


class Sentences:
    """The ends of the sentences of a text; lines end them too."""

    __slots__ = ("ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [end for end in clause_ends(text) if text[end - 1] in ".!?\n"]
        self.ends = ends if text.isascii() else sorted({*ends, *[found.end() for found in _EASTERN_END.finditer(text)]})

    def start_before(self, offset: int) -> int:
        """Return where the sentence begins that goes on at ``offset``."""
        place = bisect_left(self.ends, offset)
        return max(self.ends[place - 1] if place else 0, offset - _FARTHEST)

    def end_behind(self, offset: int) -> int:
        """Return where that sentence ends."""
        place = bisect_right(self.ends, offset)
        end = self.ends[place] if place < len(self.ends) else len(self.text)
        return min(end, offset + _FARTHEST)


def claims_before(text: str, positions: Sequence[int]) -> list[Span | None]:
    """For each position in ``text``, in order, the span of the claim that a mark there follows."""
    sentences = Sentences(text)
    claims: list[Span | None] = []
    floors = [0]
    for place, position in enumerate(positions):
        if place and position == positions[place - 1]:
            claims.append(claims[-1])
            continue
        claims.append(_claim(sentences, position, floors[-_MOST_FLOORS:]))
        floors.append(position)
    return claims


def _claim(sentences: Sentences, position: int, floors: Sequence[int]) -> Span | None:
    """The words before in the sentence, back to the mark before; where they are too few to say anything, more of the sentence.

    ``floors`` are the places of the last marks before.
    """
    text = sentences.text
    if _is_subject(text, position):
        return _trimmed(text, position, sentences.end_behind(position))
    earliest = max(0, position - _MOST_SIGNS)
    last = earliest + len(text[earliest:position].rstrip(_CLOSING))
    start = sentences.start_before(last)
    before: Span | None = None
    for floor in reversed([floor for floor in floors if floor < last] or [start]):
        before = _trimmed(text, max(start, floor), position)
        if floor <= start or (before is not None and _has_enough_words(text[slice(*before)])):
            break
    if before is None or _has_enough_words(text[slice(*before)]) or floors[-1] > start or not _ENDS.isdisjoint(text[last:position]):
        return before
    return _trimmed(text, start, sentences.end_behind(position))


def _is_subject(text: str, position: int) -> bool:
    """Return True if the mark begins a sentence: first on its line, or between a full stop and a small letter (``[2] says …``)."""
    behind = text[max(0, position - 8) : position].rpartition("\n")
    ahead = text[position : position + 80].lstrip(" \t\r*_")[:1]
    begins_line = (behind[1] != "" or position <= 8) and not behind[2].strip(" \t-*+•>")
    return (begins_line and ahead not in ("", "\n")) or (behind[2].rstrip()[-1:] in tuple(".!?") and ahead.islower())


def _has_enough_words(claim: str) -> bool:
    """Return True if a claim says something; Chinese and Japanese set no spaces."""
    return len(claim.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS or (len(claim) >= _FEWEST_SIGNS and claim[-1] > "\u2e80")


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """Without bullets, stops and spaces at either side; nothing if nothing is left."""
    begin = _OPENING.match(text, start, end)
    start = begin.end() if begin else start
    end = start + len(text[start:end].rstrip(_STOPS + "*_"))
    return (start, end) if start < end else None


_PER_POINTER = 20
_LONGEST_CLIPPED, _MOST_CLIPPED = 80, 4


class Ledger:
    """References and issues as they are found, in order."""

    def __init__(self, index: SourceIndex) -> None:
        self.index = index
        self.references: list[Reference] = []
        self.made: list[tuple[WrittenCitation, Reference]] = []
        self.issues: list[Issue] = []
        self._position: int | None = None
        self._told = Budget(MOST_TOLD)
        self._cited_here: set[str] = set()

    def add_all(self, written: Sequence[WrittenCitation], clean: CleanText) -> None:
        """All citations of an answer, those in the text with what they follow."""
        beside: set[tuple[object, ...]] = set()
        marks = [each for each in written if each.raw is not None and each.claim is None]
        positions = [clean.position(each.raw[0]) for each in marks if each.raw is not None]
        behind = {each.raw: claim for each, claim in zip(marks, claims_before(clean.text, positions), strict=True)}
        for each in written:
            if each.claim is not None:
                span = clean.span(each.claim)
                reference = self.add(each, clean.position(each.raw[0]) if each.raw else span[1], span)
            elif each.raw is not None:
                reference = self.add(each, clean.position(each.raw[0]), behind[each.raw])
            else:
                reference = self.add(each)
            if each.raw is None:
                said = (reference.sources, reference.targets, each.quote, each.quote_span, each.claim)
                if said in beside:
                    message = f"‘{each.text[:80]}’ is cited twice, with nothing to tell the two apart"
                    self.issues.append(Issue(IssueCode.DUPLICATE, message, reference.ordinal))
                beside.add(said)

    def add(self, written: WrittenCitation, position: int | None = None, span: Span | None = None) -> Reference:
        """One citation, looked up."""
        ordinal = len(self.references)
        as_made = written
        if not self._told.take(_length_of(written, span)):
            written, span = _clipped(written), None
        if position is None or position != self._position:
            self._cited_here = set()
        self._position = position
        targets = self._targets(written, ordinal)
        if written.fault:
            self.issues.append(Issue(IssueCode.SPAN_OUTSIDE, written.fault, ordinal))
        reference = Reference(
            ordinal=ordinal,
            grammar=written.grammar,
            status=_status(written, targets),
            text=written.text,
            targets=targets,
            position=position,
            span=span,
            raw=written.raw,
            quote=written.quote,
            quote_span=written.quote_span,
            confidence=written.confidence,
        )
        self.references.append(reference)
        self.made.append((as_made, reference))
        return reference

    def shortened(self) -> list[Issue]:
        """Return what is said of citations that were too long to be kept as they are."""
        if not self._told.refused:
            return []
        message = f"{self._told.refused:,} citations are kept in part: without quotes and claims, and with the beginning of what they say"
        return [Issue(IssueCode.READ_IN_PART, message)]

    def _targets(self, written: WrittenCitation, ordinal: int) -> tuple[Target, ...]:
        targets: dict[str, Target] = {}
        said: dict[tuple[IssueCode, str], Issue] = {}
        for pointer in written.pointers:
            source, code, message = self.index.resolve(pointer, written.quote)
            name = source.id if source else None
            if name is not None and name in self._cited_here and written.raw is not None:
                code, message = IssueCode.DUPLICATE, f"{name} is cited twice at the same place, the second time as ‘{written.text[:80]}’"
            if code is not None:
                said.setdefault((code, message), Issue(code, message, ordinal, name))
            if name is not None:
                self._cited_here.add(name)
            targets.setdefault(name or f"?{pointer.written}", Target(pointer.written, name))
        self.issues += said.values()
        return tuple(targets.values())


def _length_of(written: WrittenCitation, span: Span | None) -> int:
    """Return how many characters are told of a citation: with the words that it supports, and for each pointer the id of its source."""
    told = len(written.text) + len(written.quote) + len(written.confidence) + (span[1] - span[0] if span else 0)
    return told + sum([_PER_POINTER + len(each.written) for each in written.pointers])


def _clipped(written: WrittenCitation) -> WrittenCitation:
    """A citation of which little is kept."""
    pointers = tuple([each._replace(written=each.written[:_LONGEST_CLIPPED]) for each in written.pointers[:_MOST_CLIPPED]])
    return written._replace(
        text=written.text[:_LONGEST_CLIPPED], pointers=pointers, quote="", confidence=written.confidence[:_LONGEST_CLIPPED]
    )


def _status(written: WrittenCitation, targets: Sequence[Target]) -> ReferenceStatus:
    found = sum([target.source is not None for target in targets])
    if found == 0:
        return ReferenceStatus.UNRESOLVED
    if written.grammar is Grammar.LISTED:
        return ReferenceStatus.LISTED
    return ReferenceStatus.RESOLVED if found == len(targets) else ReferenceStatus.PARTIAL

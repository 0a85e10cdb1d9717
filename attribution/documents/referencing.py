"""Makes references of written citations: each looked up, with the span it stands for and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.budget import MOST_TOLD, Budget
from attribution.documents.citation import Grammar, WrittenCitation
from attribution.documents.claims import claims_before
from attribution.documents.model import Issue, IssueCode, Reference, ReferenceStatus, Target
from attribution.documents.removal import CleanText
from attribution.documents.resolution import SourceIndex
from attribution.model import Span

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
        """All citations of an answer, those in the text with what they stand behind."""
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
        if not self._told.take(_length_of(written)):
            written = _clipped(written)
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
        message = f"{self._told.refused:,} citations are kept in part: without quotes, and with no more than the beginning of what they say"
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


def _length_of(written: WrittenCitation) -> int:
    """Return how many characters are kept of a citation; each of its pointers is kept with the id of its source."""
    told = len(written.text) + len(written.quote) + len(written.confidence)
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

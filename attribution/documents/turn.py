"""Reads everything a turn holds about citations, before anything is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attribution.budget import MOST_SOURCES, part_read
from attribution.documents import keys
from attribution.documents.citation import WrittenCitation
from attribution.documents.given import read_given
from attribution.documents.grammars.answer_object import MOST_ASPECTS, AnswerObject, listed_aspects, read_answer_object, told_besides
from attribution.documents.grammars.object_in_text import has_claims
from attribution.documents.grammars.structured import MOST_READ, read_structured
from attribution.documents.model import Issue, IssueCode
from attribution.documents.native import NativeAnswer
from attribution.documents.native.anchoring import anchored
from attribution.documents.policy import CitationPolicy
from attribution.documents.resolution import SourceIndex


class Turn(NamedTuple):
    """The raw text of an answer, its sources, the citations that do not stand in the text, and what could not be read.

    ``read`` is the beginning of the text in which citations are looked for: all of it, unless it is very long.
    """

    raw: str
    read: str
    known: SourceIndex
    beside: list[WrittenCitation]
    unread: list[Issue]
    answer: AnswerObject | None
    is_native: bool


def read_turn(
    response: str,
    documents: Sequence[Any],
    tool_calls: Sequence[Any],
    citations: Any,
    native: Any,
    policy: CitationPolicy,
) -> Turn:
    """Return what a turn holds. A response without text is the one that the provider's own response holds."""
    given = read_given(response=response, documents=documents, tool_calls=tool_calls, native=native, policy=policy)
    raw, written, found = given.raw_text, given.written, given.native
    index = SourceIndex(given.documents, given.others, numbers_are_places=policy.numbers_are_places)
    read = part_read(raw)
    stated = written or keys.mapping(citations)
    answer: AnswerObject | None
    if has_claims(stated):
        answer = read_answer_object(stated, read, index)
        beside, unread = _of_claims(answer)
    else:
        answer = _without_claims(stated, read)
        beside, unread = _structured(stated or citations, read, index)
    if given.fault:
        unread.append(Issue(IssueCode.MALFORMED, f"the answer begins an object that cannot be read: {given.fault}"))
    if native is not None:
        placed, off = _native(found, raw, read)
        beside, unread = [*beside, *placed], [*unread, *off]
    unread += [Issue(IssueCode.READ_IN_PART, message) for message in given.unread_tools]
    if (aspects := len(listed_aspects(stated))) > MOST_ASPECTS:
        unread.append(Issue(IssueCode.READ_IN_PART, f"the first {MOST_ASPECTS:,} of {aspects:,} aspects that are not answered are read"))
    unread += _left_out(raw, read, documents, tool_calls, 0 if has_claims(stated) else len(_listed(stated or citations)))
    return Turn(raw, read, index, beside, unread, answer, found is not None and bool(found.citations))


def _of_claims(answer: AnswerObject) -> tuple[list[WrittenCitation], list[Issue]]:
    return list(answer.citations), [Issue(IssueCode.MALFORMED, answer.unread)] if answer.unread else []


def _without_claims(stated: keys.Object, text: str) -> AnswerObject | None:
    """Return what an answer object says beside its text and its citations."""
    return AnswerObject(text, (), (), *told_besides(stated)) if stated else None


def _structured(citations: Any, raw: str, index: SourceIndex) -> tuple[list[WrittenCitation], list[Issue]]:
    """A list of citations, alone or in an object."""
    read, unreadable = read_structured(_listed(citations), raw, index)
    return read, [Issue(IssueCode.MALFORMED, each.reason) for each in unreadable]


def _listed(citations: Any) -> Sequence[Any]:
    return keys.items(keys.first(keys.mapping(citations), "citations", "sources")) or keys.items(citations)


def _left_out(raw: str, read: str, documents: Sequence[Any], tool_calls: Sequence[Any], citations: int) -> list[Issue]:
    """Return what is not read of a turn because there is too much of it."""
    told = []
    if len(read) < len(raw):
        told.append(f"this answer was read in part: citations are looked for in the first {len(read):,} of its {len(raw):,} characters")
    for what, given in (("documents", documents), ("tool calls", tool_calls)):
        if len(given) > MOST_SOURCES:
            told.append(f"the first {MOST_SOURCES:,} of {len(given):,} {what} are read, and a citation of another one finds nothing")
    if citations > MOST_READ:
        told.append(f"the first {MOST_READ:,} of {citations:,} citations beside the text are read")
    return [Issue(IssueCode.READ_IN_PART, each) for each in told]


def _native(found: NativeAnswer | None, raw: str, read: str) -> tuple[list[WrittenCitation], list[Issue]]:
    if found is None:
        return [], [Issue(IssueCode.MALFORMED, "the provider's response has no shape that is known")]
    if raw == found.text:
        return found.citations, [Issue(IssueCode.MISPLACED, message) for message in found.misplaced]
    placed, lost = anchored(found, read)
    return placed, [Issue(IssueCode.MISPLACED, message) for message in (*found.misplaced, *lost)]

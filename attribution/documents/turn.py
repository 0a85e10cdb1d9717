"""Everything that a turn holds about citations, before any is looked up: the answer as written, its sources, its citations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attribution import lenient_json
from attribution.budget import MOST_SOURCES, part_read
from attribution.documents.grammars.answer_object import (
    MOST_ASPECTS,
    AnswerObject,
    has_claims,
    listed_aspects,
    object_in,
    read_answer_object,
    told_besides,
)
from attribution.documents.grammars.structured import MOST_READ, read_structured
from attribution.documents.native import NativeAnswer, read_native
from attribution.documents.native.answer import anchored
from attribution.documents.references import DEFAULT_POLICY, CitationPolicy, Issue, IssueCode, WrittenCitation
from attribution.documents.resolution import SourceIndex, with_own_ids, without_known
from attribution.documents.sources import CitableSource, read_documents
from attribution.errors import InputError


class Given(NamedTuple):
    """The raw text of an answer, the documents given to the model, and the sources found besides: by tools or by the provider.

    ``written`` is the answer object that the response holds, ``fault`` what is wrong with one that cannot be read, and ``native`` what a
    provider's own response was read into. ``unread_tools`` says of which tools nothing is read.
    """

    raw_text: str
    documents: list[CitableSource]
    others: list[CitableSource]
    written: lenient_json.Object | None = None
    native: NativeAnswer | None = None
    fault: str = ""
    unread_tools: tuple[str, ...] = ()

    @property
    def sources(self) -> list[CitableSource]:
        """All that could be cited, documents first."""
        return [*self.documents, *self.others]


def read_given(
    *,
    response: str = "",
    documents: Sequence[Any] = (),
    tool_calls: Sequence[Any] = (),
    native: Any = None,
    policy: CitationPolicy = DEFAULT_POLICY,
) -> Given:
    """Read an answer and its sources, and check nothing: a small part of the work of attributing them.

    A response without text is the one that the provider's own response holds. Raises ``InputError`` as ``attribute_documents`` does.
    """
    _require(response, documents, tool_calls)
    found = read_native(native) if native is not None else None
    text = response or (found.text if found else "")
    written, raw, fault = object_in(text)
    read = read_documents(documents[:MOST_SOURCES])
    found_by_tools, unread_tools = policy.extractors.read_all(tool_calls[:MOST_SOURCES])
    tools = found_by_tools[:MOST_SOURCES]
    carried = without_known(found.sources[:MOST_SOURCES], [*read, *tools]) if found else []
    return Given(
        raw_text=raw,
        documents=read,
        others=with_own_ids([*tools, *carried], read),
        written=written,
        native=found,
        fault=fault,
        unread_tools=tuple(unread_tools),
    )


def _require(response: Any, documents: Any, tool_calls: Any) -> None:
    if not isinstance(response, str):
        raise InputError("response", "must be text")
    for name, value in (("documents", documents), ("tool_calls", tool_calls)):
        if not isinstance(value, (list, tuple)):
            raise InputError(name, "must be a list")


class Turn(NamedTuple):
    """The raw text of an answer, its sources, the citations that are not in the text, and what could not be read.

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
    stated = written or lenient_json.mapping(citations)
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


def _without_claims(stated: lenient_json.Object, text: str) -> AnswerObject | None:
    """Return what an answer object says beside its text and its citations."""
    return AnswerObject(text, (), (), *told_besides(stated)) if stated else None


def _structured(citations: Any, raw: str, index: SourceIndex) -> tuple[list[WrittenCitation], list[Issue]]:
    """A list of citations, alone or in an object."""
    read, unreadable = read_structured(_listed(citations), raw, index)
    return read, [Issue(IssueCode.MALFORMED, each.reason) for each in unreadable]


def _listed(citations: Any) -> Sequence[Any]:
    return lenient_json.items(lenient_json.first(lenient_json.mapping(citations), "citations", "sources")) or lenient_json.items(citations)


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

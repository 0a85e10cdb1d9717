"""Read the reply of a model that was asked for citations, and make references of those that hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from attribution.codec import read_json
from attribution.documents.figures_and_names import Known, find_missing, know, names_or_counts
from attribution.documents.model_question import ModelQuestion
from attribution.documents.post_hoc import FoundCitations, FoundReference, NoUsableReply, RefusalReason, RefusedCitation, SearchMethod
from attribution.documents.sources import CitableSource
from attribution.documents.support import judge_support_in
from attribution.documents.wording import Wording
from attribution.errors import InputError
from attribution.model import Span

LONGEST_REPLY = 1_048_576
"""Bytes. A longer one is not read."""
_DEEPEST = 16
_FENCE = b"```"


class MalformedReply(Exception):  # noqa: N818 — what came, not whose error it is
    """A reply that cannot be read as a whole. ``reason`` says where and why, without a word of the reply."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_object(reply: bytes) -> dict[str, Any]:
    """Return the object that a reply in UTF-8 is, optionally inside one code fence."""
    if len(reply) > LONGEST_REPLY:
        raise MalformedReply(f"the reply has {len(reply)} bytes, and {LONGEST_REPLY} are read at most")
    found = read_document(_without_fence(reply.strip()), _DEEPEST)
    if type(found) is not dict:
        raise MalformedReply(f"the reply is {_kind(found)}, not an object")
    return found


def read_reply(reply: bytes) -> list[Any]:
    """The list of citations of a reply; what is in the list is not looked at yet."""
    found = read_object(reply)
    if "citations" not in found:
        raise MalformedReply("the reply is an object without citations")
    if type(found["citations"]) is not list:
        raise MalformedReply(f"citations is {_kind(found['citations'])}, not a list")
    citations: list[Any] = found["citations"]
    return citations


def _without_fence(reply: bytes) -> bytes:
    """Return what stands inside the one code fence around a reply, if there is one."""
    opening, _, rest = reply.partition(b"\n")
    is_fenced = opening.strip().lower() in (_FENCE, _FENCE + b"json") and rest.endswith(_FENCE)
    return rest.removesuffix(_FENCE) if is_fenced else reply


def read_document(document: bytes, deepest: int) -> Any:
    """A JSON document that somebody sent; what is wrong with it is said without quoting it."""
    if not document.strip():
        raise MalformedReply("the reply is empty")
    try:
        return read_json(document, deepest)
    except InputError as error:
        raise MalformedReply(f"the reply cannot be read: {_without_quotes(error.reason)}") from None


def _without_quotes(reason: str) -> str:
    """A reason without what it quotes: a key or a number of the reply may be anybody's."""
    return re.split(r" \"|: (?=[-\d'])", reason, maxsplit=1)[0]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return names.get(type(value), "null")


_DEEPEST_ANSWER = 32


def read_completion(body: bytes) -> bytes:
    """The reply in the first choice of a chat completion, in UTF-8.

    Raises ``MalformedReply`` where there is none that can be read, and ``NoUsableReply`` where it was withheld on purpose.
    """
    found = read_document(body, _DEEPEST_ANSWER)
    choices = found.get("choices") if type(found) is dict else None
    choice = choices[0] if type(choices) is list and choices else None
    message = choice.get("message") if type(choice) is dict else None
    if type(choice) is not dict or type(message) is not dict:
        raise MalformedReply("the endpoint's answer is no chat completion")
    _check_is_whole(choice.get("finish_reason"), message.get("refusal"))
    return _text_of(message.get("content")).encode("utf-8", "surrogatepass")


class Usage(NamedTuple):
    """The tokens of a request and its reply."""

    tokens_in: int
    tokens_out: int


def read_usage(body: bytes) -> Usage:
    """Return the tokens of a chat completion as the endpoint counts them; 0 if it does not."""
    try:
        found = read_json(body, _DEEPEST_ANSWER)
    except InputError:
        return Usage(0, 0)
    usage = found.get("usage") if type(found) is dict else None
    told = usage if type(usage) is dict else {}
    return Usage(_count(told.get("prompt_tokens")), _count(told.get("completion_tokens")))


_MOST_TOKENS = 10**9
"""A count beyond this is none."""


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else 0


def _check_is_whole(ended: Any, refusal: Any) -> None:
    if ended == "content_filter":
        raise NoUsableReply("the endpoint withheld the reply (its content filter)")
    if refusal:
        raise NoUsableReply("the model refused to reply")
    if ended == "length":
        raise MalformedReply("the reply was cut off at the endpoint's limit")


def _text_of(content: Any) -> str:
    """A text, or the texts of its parts."""
    parts = content if type(content) is list else [{"text": content}]
    texts = [part.get("text") for part in parts if type(part) is dict]
    if not texts or not all(type(text) is str for text in texts):
        raise MalformedReply("the endpoint's answer holds no text")
    return "".join(map(str, texts))


_MOST_PLACES = 100
"""The most places of a claim that are looked at."""


class Places:
    """The places of claims in an answer: each is looked for once, and never inside another word of Latin letters or figures."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._spans: dict[str, list[Span]] = {}
        self._taken: dict[tuple[str, int], int] = {}

    def of(self, claim: str) -> list[Span]:
        """The places of a claim, from the beginning of the answer."""
        if claim not in self._spans:
            self._spans[claim] = [(start, start + len(claim)) for start in self._starts(claim)]
        return self._spans[claim]

    def next_free(self, claim: str, number: int) -> Span | None:
        """The first place of a claim that was not yet taken for a source."""
        taken = self._taken.get((claim, number), 0)
        self._taken[claim, number] = taken + 1
        spans = self.of(claim)
        return spans[taken] if taken < len(spans) else None

    def _starts(self, claim: str) -> Iterator[int]:
        start = -1
        for _ in range(_MOST_PLACES):
            start = self._answer.find(claim, start + 1)
            if start < 0:
                return
            if not self._cuts_word(start) and not self._cuts_word(start + len(claim)):
                yield start
                start += len(claim) - 1

    def _cuts_word(self, place: int) -> bool:
        """Return True if a word goes on at a place; only words of letters that are written with spaces between them."""
        around = self._answer[max(0, place - 1) : place + 1]
        return len(around) == 2 and around.isascii() and around.isalnum()


MOST_CITATIONS = 500
"""The most citations of a reply that are looked at; any more are kept as one refusal."""
_LONGEST_KEPT = 200
"""The most code points of a refused claim that are kept."""
_LARGEST_KEPT = 100_000
"""A number of a source beyond this is kept as none."""
_MOST_NAMED = 3
CONFIDENCE_WORDS = {"full": 0.9, "partial": 0.5}
"""A source that has all of a claim, and one that has a part of it."""


class _Proposal(NamedTuple):
    claim: str
    number: int
    confidence: float


def find_in_reply(reply: bytes, question: ModelQuestion, asked: str = "", *, model: str = "") -> FoundCitations:
    """Return what a reply to a question comes to. ``asked`` is what the user had asked; raises ``MalformedReply``.

    A claim must be in the answer word for word, but for spaces around it. Proposed again for the same source it is taken for the
    next place where it stands; where there is none it is a duplicate, and the higher confidence counts. A figure or name that the
    source lacks refuses nothing: the trace says so, as the check of the reference will.
    """
    proposed = read_reply(reply)
    refused: list[RefusedCitation] = []
    placed: dict[tuple[Span, int], float] = {}
    places = Places(question.answer)
    for each in proposed[:MOST_CITATIONS]:
        read = _read(each, question)
        if isinstance(read, RefusedCitation):
            refused.append(read)
            continue
        reason = _place(read, places, placed)
        if reason is not None:
            refused.append(_refuse(read.claim, read.number, reason))
    if len(proposed) > MOST_CITATIONS:
        refused.append(RefusedCitation("", None, RefusalReason.TOO_MANY))
    reader = _Reader(question, asked)
    found = [reader.reference(span, number, confidence) for (span, number), confidence in placed.items()]
    return FoundCitations(SearchMethod.MODEL, tuple(sorted(found, key=_order)), tuple(refused), model, question.shortened, question.unit)


def _order(reference: FoundReference) -> tuple[Span, float, int]:
    return (reference.span, -reference.probability, reference.passage)


def _read(proposed: Any, question: ModelQuestion) -> _Proposal | RefusedCitation:
    """A citation as it must be, or why it is none; the first thing that is wrong counts."""
    if type(proposed) is not dict or type(proposed.get("claim")) is not str:
        return _refuse("", None, RefusalReason.NOT_READABLE)
    claim, number, confidence = proposed["claim"].strip(), proposed.get("sourceIndex"), proposed.get("confidence")
    if not claim:
        return _refuse("", number, RefusalReason.CLAIM_EMPTY)
    if type(number) is not int or number not in question.sources:
        return _refuse(claim, number, RefusalReason.SOURCE_OUT_OF_RANGE)
    confidence = CONFIDENCE_WORDS.get(confidence, confidence) if isinstance(confidence, str) else confidence
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return _refuse(claim, number, RefusalReason.CONFIDENCE_OUT_OF_RANGE)
    return _Proposal(claim, number, float(confidence))


def _refuse(claim: str, number: Any, reason: RefusalReason) -> RefusedCitation:
    passage = number - 1 if type(number) is int and abs(number) <= _LARGEST_KEPT else None
    return RefusedCitation(claim[:_LONGEST_KEPT], passage, reason)


def _place(read: _Proposal, places: Places, placed: dict[tuple[Span, int], float]) -> RefusalReason | None:
    """Put a proposal at the first place of its claim that its source does not have yet; why not, if it cannot be."""
    spans = places.of(read.claim)
    if not spans:
        return RefusalReason.CLAIM_NOT_IN_ANSWER
    free = places.next_free(read.claim, read.number)
    if free is not None:
        placed[free, read.number] = read.confidence
        return None
    placed[spans[0], read.number] = max(placed[spans[0], read.number], read.confidence)
    return RefusalReason.TWICE


class _Reader:
    """Reads each cited source once for all its references."""

    def __init__(self, question: ModelQuestion, asked: str) -> None:
        self._question = question
        self._asked = Wording(asked)
        self._read: dict[int, tuple[Wording, Known]] = {}

    def reference(self, span: Span, number: int, confidence: float) -> FoundReference:
        """A reference with the sentences of the source that have most of the claim, and what the source lacks of it."""
        claim = self._question.answer[span[0] : span[1]]
        wording, known = self._source(number)
        support = judge_support_in(Wording(claim), [wording], self._asked)
        missing = find_missing(claim, known) if names_or_counts(claim) else ()
        traces = [f"the model says {confidence:.2f}", support.trace, *_named([each.trace for each in missing])]
        return FoundReference(span, number - 1, support.window, confidence, "; ".join(traces))

    def _source(self, number: int) -> tuple[Wording, Known]:
        if number not in self._read:
            source: CitableSource = self._question.sources[number]
            self._read[number] = Wording(source.content), know(f"{source.title}\n{source.content}")
        return self._read[number]


def _named(traces: Sequence[str]) -> list[str]:
    more = len(traces) - _MOST_NAMED
    return [*traces[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]

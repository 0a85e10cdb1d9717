"""The one interface of looking for citations after the fact, whichever way it is done; the way by words stands here.

A way is a function of the clean text of an answer, its sources in their order and the user's question. It gives what it found and what
it refused, or raises ``SearchFailed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attribution.documents.post_hoc import FoundReference, find_references, sentences_of
from attribution.documents.source import CitableSource
from attribution.model import Word


class SearchMethod(Word):
    """How citations are looked for. Stored: a word here is never given another meaning."""

    WORDS = "words"
    MODEL = "model"


class RefusalReason(Word):
    """Why a citation that a search proposed is none."""

    CLAIM_NOT_IN_ANSWER = "claim_not_in_answer"
    SOURCE_OUT_OF_RANGE = "source_out_of_range"
    TWICE = "twice"
    NOT_READABLE = "not_readable"
    CLAIM_EMPTY = "claim_empty"
    CONFIDENCE_OUT_OF_RANGE = "confidence_out_of_range"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class RefusedCitation:
    """A citation that was proposed and refused. ``claim`` is as it was proposed, ``passage`` counts from 0 where it was a number."""

    claim: str
    passage: int | None
    reason: RefusalReason


@dataclass(frozen=True, slots=True)
class FoundCitations:
    """What a search found, in the order of the answer, and what it refused. ``model`` names the one that was asked, if one was.

    ``shortened`` says what of answer and sources it was not shown; empty where it saw all.
    """

    method: SearchMethod
    found: tuple[FoundReference, ...]
    refused: tuple[RefusedCitation, ...] = ()
    model: str = ""
    shortened: str = ""


class SearchFailed(Exception):  # noqa: N818 — what happened, not whose error it is
    """A search came to no result. ``reason`` holds no protected text; ``may_pass`` says whether another attempt may do better.

    ``wait`` is how many seconds from now whoever was asked wants not to be asked again; ``model`` names it, if one was asked.
    """

    def __init__(self, reason: str, *, may_pass: bool, wait: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_pass = may_pass
        self.wait = wait
        self.model = ""


SearchWay = Callable[[str, Sequence[CitableSource], str], FoundCitations]
"""The signature of every way: answer, sources, question."""


def search_by_words(answer: str, sources: Sequence[CitableSource], question: str) -> FoundCitations:
    """Sentence by sentence, by the words that sentence and source share; needs no model."""
    return FoundCitations(SearchMethod.WORDS, find_references(answer, [source.content for source in sources], question))


def is_code_only(answer: str) -> bool:
    """Return True if an answer has no sentence outside fenced code: there is nothing to look for."""
    return not any(any(letter.isalnum() for letter in answer[start:end]) for start, end in sentences_of(answer))

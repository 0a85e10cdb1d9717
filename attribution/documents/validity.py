"""Whether an answer cites enough for what it says: red, yellow or green, with the reason in words."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.model import Word

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
        """In words, as they stand beside a colour."""
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

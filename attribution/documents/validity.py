"""Whether an answer cites enough for what it says: red, yellow or green, with the reason in words."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.model import Word

FEWEST_CITATIONS = 2
FEWEST_PER_SENTENCE = 0.3


class Colour(Word):
    """How well an answer is covered by citations. Never shown without its reason."""

    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class Validity:
    """A colour, the citations for each sentence that it rests on, and the reason in one sentence."""

    colour: Colour
    per_sentence: float
    reason: str


def judge_validity(citations: int, sentences: int, *, is_repaired: bool = False, is_lost: bool = False) -> Validity:
    """Judge an answer by how many citations the model has made in how many sentences.

    Sources that were attached afterwards are no citations: they lift an answer without any to yellow and no further.
    ``is_lost`` says that there are citations which mean no source: they do not count either, but it is not said that there are none.
    """
    if citations < 0 or sentences < 0:
        raise ValueError("citations and sentences are counted from 0 up")
    per_sentence = round(citations / max(1, sentences), 4)
    if not citations:
        nothing = "the answer cites nothing that was given to it" if is_lost else "the answer cites nothing"
        if is_repaired:
            return Validity(Colour.YELLOW, 0.0, f"{nothing}; sources were attached afterwards")
        return Validity(Colour.RED, 0.0, nothing)
    counted = f"{citations} citation{'s' if citations > 1 else ''} in {sentences} sentence{'' if sentences == 1 else 's'}"
    if citations < FEWEST_CITATIONS:
        return Validity(Colour.YELLOW, per_sentence, f"{counted}: one citation is few")
    if citations < FEWEST_PER_SENTENCE * max(1, sentences):
        return Validity(Colour.YELLOW, per_sentence, f"{counted}: fewer than three in ten")
    if is_repaired:
        return Validity(Colour.YELLOW, per_sentence, f"{counted}, and sources were attached afterwards")
    return Validity(Colour.GREEN, per_sentence, counted)

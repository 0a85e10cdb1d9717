"""Long texts: the share of their content words that the answer uses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.text import fold_words, words_of

_FEWEST_WORDS = 2
_MOST_LISTED = 8


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value's content words, wherever they stand in the answer."""
    return match_unexplained(value, fold_words(value), frozenset(), answer, profile)


def read_later(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Nothing: the long texts of a context are read together."""
    return None


def match_unexplained(text: str, folded: Sequence[str], explained: Collection[str], answer: Answer, profile: Profile) -> Evidence | None:
    """The content words of a text, of its words ``folded``.

    Those ``explained``, which the answer says only as values of other fields, tell nothing.
    """
    stop = profile.vocabulary.stop
    wanted = {word for word in folded if len(word) > 3 and word not in stop and word not in explained}
    if len(wanted) == 1:
        return None if explained else _as_written(text, wanted, answer, profile)
    places = answer.places
    found = [word for word in wanted if word in places]
    if len(found) < _FEWEST_WORDS or len(found) < profile.thresholds.summary_share * len(wanted):
        return None
    counted: list[int] = []
    for word in found:
        counted += places[word][:MOST_PLACES]
    counted = sorted(counted)[:MOST_PLACES]
    return share_evidence(FieldType.SUMMARY, sorted(found, key=lambda word: places[word][0]), wanted, answer.spans(counted, 1), profile)


def _as_written(text: str, wanted: set[str], answer: Answer, profile: Profile) -> Evidence | None:
    """One content word is said of too many things: the whole text has to stand there."""
    words = words_of(text)
    places = answer.find(words)
    return share_evidence(FieldType.SUMMARY, wanted, wanted, answer.spans(places, len(words)), profile) if places else None


def share_evidence(
    method: FieldType, found: Collection[str], wanted: Collection[str], spans: tuple[Span, ...], profile: Profile
) -> Evidence:
    """Evidence whose score is the share of words found, capped; ``found`` in the order of the answer."""
    share = len(found) / len(wanted)
    listed = ", ".join(islice(found, _MOST_LISTED)) + (" …" if len(found) > _MOST_LISTED else "")
    trace = f"{len(found)} of {len(wanted)} content words stand in the answer ({share:.0%}): {listed}"
    return Evidence(method, "content_words", round(min(profile.thresholds.summary_cap, share), 4), spans, trace)


def content_words(folded: Sequence[str], stop: frozenset[str]) -> set[str]:
    """The different words of four letters or digits or more that are not stop words."""
    return {word for word in folded if len(word) > 3 and word not in stop}

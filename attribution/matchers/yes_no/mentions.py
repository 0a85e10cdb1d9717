"""Where an answer speaks of what a yes-or-no field is about."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.subjects import Subject, Topic, Wording

_FREE = "free"


class Mention(NamedTuple):
    """A place of an answer and its number of words. ``is_complete``: the phrase says by itself that it is so, or ``is_opposite``.

    ``is_denied``: the word has a denial in it, as "unfurnished" and "pet-free" have.
    """

    place: int
    length: int
    is_complete: bool = False
    is_opposite: bool = False
    is_denied: bool = False

    @property
    def stop(self) -> int:
        """The word behind it."""
        return self.place + self.length


def find_mentions(subject: Subject, answer: Answer) -> list[Mention]:
    """The mentions in their order; of two that overlap the longer."""
    found = [*_complete(subject.complete, answer), *_of_all_topics(subject.topics, answer)]
    return _apart(found) if len(found) > 1 else found


def _apart(found: Iterable[Mention]) -> list[Mention]:
    taken: set[int] = set()
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda each: (-each.length, each.place))[:MOST_PLACES]:
        places = range(mention.place, mention.stop)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(mention)
    return sorted(kept)


def _complete(phrases: Mapping[str, Sequence[Wording]], answer: Answer) -> list[Mention]:
    return [
        Mention(place, len(wording.stems), is_complete=True, is_opposite=wording.is_opposite)
        for place, wording in _phrases_in(answer, phrases)
    ]


def _of_all_topics(topics: Sequence[Topic], answer: Answer) -> list[Mention]:
    """The mentions of the topic that is spoken of least, in sentences that speak of all."""
    if any(answer.stems.keys().isdisjoint(topic.keys) for topic in topics):
        return []
    by_topic = [sorted(_of_topic(topic, answer))[:MOST_PLACES] for topic in topics]
    fewest = min(by_topic, key=len)
    others = [[each.place for each in mentions] for mentions in by_topic if mentions is not fewest]
    return [mention for mention in fewest if all(_is_near(mention, places, answer) for places in others)]


def _is_near(mention: Mention, places: Sequence[int], answer: Answer) -> bool:
    """Return True if one of the places stands in the sentence of a mention."""
    around = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    first = bisect_left(places, around.start)
    return first < len(places) and places[first] < around.stop


def _of_topic(topic: Topic, answer: Answer) -> Iterator[Mention]:
    for word in answer.stems.keys() & topic.forms:
        for place in answer.stems[word][:MOST_PLACES]:
            is_free = _is_free(place, answer)
            yield Mention(place, 2 if is_free else 1, is_denied=is_free or word in topic.denied)
    for place, wording in _phrases_in(answer, topic.phrases):
        yield Mention(place, len(wording.stems))


def _is_free(place: int, answer: Answer) -> bool:
    """Return True if "-free" stands behind a word, as in "pet-free"."""
    return answer.words[place + 1 : place + 2] == [_FREE] and answer.text[answer.starts[place + 1] - 1] == "-"


def _phrases_in(answer: Answer, phrases: Mapping[str, Sequence[Wording]]) -> Iterator[tuple[int, Wording]]:
    """Return where phrases stand, looked for around the word by which each is known."""
    stems, stem_words = answer.stems, answer.stem_words
    for word in stems.keys() & phrases.keys():
        for wording in phrases[word]:
            wanted, offset = wording.stems, wording.offset
            begins = [place - offset for place in stems[word][:MOST_PLACES] if place >= offset]
            yield from [(begin, wording) for begin in begins if stem_words[begin : begin + len(wanted)] == wanted]

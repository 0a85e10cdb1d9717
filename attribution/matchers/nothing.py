"""A recorded 0 in words: "no fee", "nonstop"."""

from __future__ import annotations

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.base import describe_all
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile

_RULE = "nothing"
_MORE = (["additional"], ["extra"])


def match_nothing(method: FieldType, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Return what the name of a field says, denied by the "no" before it or the "non" that it begins with."""
    names = profile.registry.leaf_name(field.leaf).name_stems
    spans = [answer.span(place) for name in sorted(names) for place in answer.stems.get(f"non{name}", ())[:MOST_PLACES]]
    for place in answer.places.get("no", ())[:MOST_PLACES]:
        named = place + 2 if answer.words[place + 1 : place + 2] in _MORE else place + 1
        if named < len(answer.words) and answer.stem_words[named] in names:
            spans.append((answer.starts[place], answer.word_end(named)))
    if not spans:
        return None
    return Evidence(method, _RULE, profile.score(method, _RULE), tuple(spans), f"{describe_all(answer, spans)}; the record is 0")

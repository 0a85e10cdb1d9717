"""Wholes, and the parts that a sentence counts: "of 31 therapists nearby, 6 take your plan"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.binding.assignment import Bond
from attribution.mentions.mention import Mention, MentionKind
from attribution.schema.target import Target
from attribution.text import words

_WHOLE = words("total found overall searched considered reviewed nearby")
_PART = words("match matches matching matched fit fits fitting eligible suitable qualifying qualified shortlisted filtered")
"""Words of names of counts of all that there is, and of what of it is fit."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"], ["of", "which"])
_SURE = 0.6
_TWO = 2


class Counted(NamedTuple):
    """The field of a whole and the field of a part of it, in one object."""

    whole: Target
    part: Target

    @classmethod
    def among(cls, targets: Sequence[Target]) -> Counted | None:
        """Return the one whole and the one part among the fields of a context, if it has them."""
        counts = [each for each in targets if each.kind == "number" and not each.entity]
        parts = [each for each in counts if not _PART.isdisjoint(each.name.words)]
        wholes = [each for each in counts if each not in parts and not _WHOLE.isdisjoint(each.name.words)]
        if len(wholes) != 1 or len(parts) != 1 or wholes[0].field.section != parts[0].field.section:
            return None
        return cls(wholes[0], parts[0])

    def bind(self, group: Sequence[Mention], answer: Answer) -> list[Bond]:
        """Bind the two counts of a sentence that says of which one the other is a part."""
        counts = [each for each in group if each.kind is MentionKind.NUMBER and not each.unit]
        if len(counts) != _TWO:
            return []
        first, second = counts
        if _is_whole(first, answer) or answer.words[second.last : second.last + 2] in _OF_THEM:
            whole, part = first, second
        elif _is_whole(second, answer):
            whole, part = second, first
        else:
            return []
        return [Bond(whole, self.whole, _SURE, is_near=True), Bond(part, self.part, _SURE, is_near=True)]


def _is_whole(mention: Mention, answer: Answer) -> bool:
    """Return True if "of" or "of the" leads to a count."""
    before = answer.words[max(0, mention.first - _TWO) : mention.first]
    return before[-1:] == ["of"] or before == ["of", "the"]

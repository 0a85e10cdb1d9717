"""stub"""

from collections.abc import Sequence
from typing import NamedTuple
from attribution.text import fold_words


class Support(NamedTuple):
    probability: float
    trace: str


def judge_support(claim: str, passages: Sequence[str], question: str = "") -> Support:
    w = {x for x in fold_words(claim) if len(x) > 2}
    d = {x for p in passages for x in fold_words(p)}
    return Support(len(w & d) / len(w) if w else 0.0, "")

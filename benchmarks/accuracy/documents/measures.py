"""Figures of judgements, by kind and half."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.accuracy.documents.judgements import Judgement
from benchmarks.accuracy.tables import Table


def by_half(judgements: Sequence[Judgement]) -> Table:
    """Balanced accuracy of each kind, for the conversations that rules are developed on and for the others."""
    table = {}
    for section in dict.fromkeys(each.section for each in judgements):
        for name, is_held_out in (("development", False), ("held out", True)):
            half = [each for each in judgements if each.section == section and each.is_held_out is is_held_out]
            table[f"{section}s ({name})"] = _figures(half)
    return table


def _figures(judgements: Sequence[Judgement]) -> dict[str, float]:
    meant = [each for each in judgements if each.is_meant]
    others = [each for each in judgements if not each.is_meant]
    accepted, refused = _share_right(meant), _share_right(others)
    counts = {"n": len(judgements), "true": len(meant)}
    return counts | {"accepted": accepted, "refused": refused, "balanced acc": (accepted + refused) / 2}


def _share_right(judgements: Sequence[Judgement]) -> float:
    return sum(each.is_right for each in judgements) / len(judgements) if judgements else 0.0

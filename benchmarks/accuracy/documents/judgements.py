"""Each labelled claim and quote beside what the engine says of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.documents.quotes import check_quote
from attribution.documents.support import judge_support
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.tables import Table

SUPPORTED = 0.5
"""From this probability on the engine says yes; the scorer has the same."""

CLAIM, QUOTE = "claim", "quote"
_LAST_NUMBER = re.compile(r"(\d+)\D*\Z", re.ASCII)


@dataclass(frozen=True, eq=False)
class Judgement:
    """A labelled claim or quote: its kind and number in the turn, its passages, its label, the engine's probability and reason."""

    turn: Turn
    section: str
    number: int
    text: str
    passages: tuple[str, ...]
    group: str
    is_meant: bool
    probability: float
    trace: str

    @property
    def path(self) -> str:
        """Its place in the turn, as a name."""
        return str(self.number)

    @property
    def is_claimed(self) -> bool:
        """True if the engine says that the passages support it."""
        return self.probability >= SUPPORTED

    @property
    def is_right(self) -> bool:
        """True if engine and label agree."""
        return self.is_claimed is self.is_meant

    @property
    def is_held_out(self) -> bool:
        """True if its conversation is one of the half that rules are not developed on: those with even numbers."""
        name = str(self.turn.get("conversation_id") or self.turn["id"])
        written = _LAST_NUMBER.search(name)
        return (int(written[1]) if written else sum(map(ord, name))) % 2 == 0


def judge_documents(turns: Iterable[Turn]) -> list[Judgement]:
    """A judgement for each claim and quote that is labelled, in the order of the labels."""
    return [judgement for turn in turns for judge in (_claims, _quotes) for judgement in judge(turn)]


def predictions(judgements: Iterable[Judgement]) -> list[dict[str, Any]]:
    """Return what the scorer reads: a line for each turn."""
    lines: dict[str, dict[str, Any]] = {}
    for each in judgements:
        line = lines.setdefault(each.turn["id"], {"id": each.turn["id"], "fields": [], "citations": [], "quotes": []})
        line["citations" if each.section == CLAIM else "quotes"].append({"index": each.number, "confidence": each.probability})
    return list(lines.values())


def _claims(turn: Turn) -> Iterator[Judgement]:
    texts = _texts(turn)
    for number, label in enumerate(turn.get("citations_gold") or ()):
        if label.get("supported") is not None:
            passages = tuple(texts[name] for name in label["docs"] if name in texts)
            found = judge_support(label["claim"], passages, turn.get("user_text") or "")
            group = str(turn.get("source") or "unnamed").rpartition("/")[2]
            yield Judgement(turn, CLAIM, number, label["claim"], passages, group, bool(label["supported"]), found.probability, found.trace)


def _quotes(turn: Turn) -> Iterator[Judgement]:
    texts = _texts(turn)
    for number, label in enumerate(turn.get("quotes_gold") or ()):
        if label.get("verified") is not None:
            passage = texts.get(label["doc"], "")
            found = check_quote(label["text"], passage)
            probability = float(found.is_verified)
            yield Judgement(
                turn, QUOTE, number, label["text"], (passage,), label["match"], bool(label["verified"]), probability, found.trace
            )


def _texts(turn: Turn) -> Mapping[str, str]:
    return {each["id"]: each["text"] for each in turn.get("documents") or ()}


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

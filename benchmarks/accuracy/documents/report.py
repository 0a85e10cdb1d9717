"""Report on a file of answers that cite documents: its figures, then its errors, then what has changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.accuracy.documents.judgements import Judgement, by_half, judge_documents, predictions
from benchmarks.accuracy.figures import FileFigures, labels_digest, turned, wrong_bits
from benchmarks.accuracy.folder import LabelledFile, write_lines
from benchmarks.accuracy.front_door import Scored, score
from benchmarks.accuracy.tables import Table, lines_of, lines_of_changes, rounded

_LONGEST_CLAIM = 500
_LONGEST_PASSAGE = 1_200
_KEPT = ("n", "P", "R", "TNR", "balanced acc", "AP", "AP unsupported", "ECE")
_KINDS = {"citations": "claims", "quotes": "quotes"}


@dataclass(frozen=True)
class DocumentReport:
    """A measured file. ``most`` errors of a kind are shown; those of held-out conversations only ``with_held_out``."""

    judgements: Sequence[Judgement]
    scored: Scored
    most: int
    with_held_out: bool

    def lines(self, sections: Sequence[str], before: FileFigures) -> Iterator[str]:
        """The sections asked for, of those that answers with documents have; ``before`` are the figures that are committed."""
        printing: dict[str, Callable[[], Iterator[str]]] = {
            "scores": self._scores,
            "services": lambda: lines_of(by_half(self.judgements)),
            "errors": self._errors,
            "changes": lambda: self._changes(before),
        }
        for section in sections:
            if section in printing:
                yield from printing[section]()

    def figures(self) -> FileFigures:
        """To be kept."""
        tables = {"scores": rounded(table_of(self.scored.figures)), "services": rounded(by_half(self.judgements))}
        return FileFigures(tables, labels_digest(self.judgements), wrong_bits(self.judgements))

    def _scores(self) -> Iterator[str]:
        yield self.scored.printed or "No scorer (score.py) beside the turns."

    def _readable(self, judgements: Sequence[Judgement]) -> list[Judgement]:
        """Return the judgements of conversations whose texts may be shown."""
        return [each for each in judgements if self.with_held_out or not each.is_held_out]

    def _errors(self) -> Iterator[str]:
        wrong = [each for each in self._readable(self.judgements) if not each.is_right]
        for title, is_claimed in (("Accepted, but not supported", True), ("Supported, but refused", False)):
            errors = sorted((each for each in wrong if each.is_claimed is is_claimed), key=lambda each: -abs(each.probability - 0.5))
            yield f"\n{title}: {len(errors)}" + (f", the surest {self.most}" if len(errors) > self.most else "")
            for each in errors[: self.most]:
                yield from lines_of_judgement(each)

    def _changes(self, before: FileFigures) -> Iterator[str]:
        if not before.labels:
            yield "\nCHANGES: no figures of this file are committed (make accuracy-keep)"
            return
        for section, now in self.figures().tables.items():
            yield f"\nCHANGES of {section} since the committed figures"
            yield from lines_of_changes(now, before.tables.get(section, {}))
        compared = turned(self.judgements, before)
        for title, rows in zip(("newly right", "newly wrong"), compared or (), strict=bool(compared)):
            yield f"\n{title}: {len(rows)}"
            for each in self._readable(rows)[: self.most]:
                yield from lines_of_judgement(each)


def measure_documents(file: LabelledFile, scorer: Path | None, most: int = 20, *, with_held_out: bool = False) -> DocumentReport:
    """Judge a file's claims and quotes, and have the judgements scored."""
    judgements = judge_documents(file.turns)
    with tempfile.TemporaryDirectory() as name:
        gold, written = Path(name, "gold.jsonl"), Path(name, "predictions.jsonl")
        write_lines(gold, file.turns)
        write_lines(written, predictions(judgements))
        scored = score(scorer, gold, written) if scorer else Scored()
    return DocumentReport(judgements, scored, most, with_held_out)


def table_of(figures: Any) -> Table:
    """The scorer's figures of claims and quotes that are kept."""
    return {
        f"{kind}: {group}": {name: each[name] for name in _KEPT if each.get(name) is not None}
        for key, kind in _KINDS.items()
        for group, each in figures.get(key, {}).items()
    }


def lines_of_judgement(judgement: Judgement) -> Iterator[str]:
    """Several lines, the first with the turn, the label and the probability."""
    yield f"  {judgement.turn['id']} {judgement.section} {judgement.number} ({judgement.group}): {judgement.probability:.2f}"
    yield f"      claim:   {_clipped(judgement.text, _LONGEST_CLAIM)}"
    for passage in judgement.passages[:2]:
        yield f"      passage: {_clipped(passage, _LONGEST_PASSAGE)}"
    yield f"      {judgement.trace}"


def _clipped(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"

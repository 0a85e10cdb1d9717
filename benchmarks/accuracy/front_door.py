"""Turns through the engine as users run it, and what it says of them through the scorer as it comes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.__main__ import main
from benchmarks.accuracy.folder import Turn, write_lines
from benchmarks.accuracy.tables import Table

_KEPT = ("P", "R", "F1", "AP", "ECE", "IoU+", "FPR-hard")

Predictions = Mapping[str, Mapping[str, Any]]
"""The output of the command line for each turn, by the turn's id."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The scorer's output, and its figures by kind of value."""

    printed: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """The figures that are kept."""
        kinds = self.figures.get("fields", {})
        table = {kind: {name: each[name] for name in _KEPT if each[name] is not None} for kind, each in kinds.items()}
        if "best_f1" in self.figures:
            threshold, f1 = self.figures["best_f1"]
            table["best F1"] = {"F1": f1, "at": threshold}
        return table


def attribute_and_score(turns: Iterable[Turn], scorer: Path | None) -> tuple[Predictions, Scored]:
    """Attribute the turns, and return the predictions with the scorer's judgement."""
    with tempfile.TemporaryDirectory() as name:
        gold, written = Path(name, "gold.jsonl"), Path(name, "predictions.jsonl")
        write_lines(gold, turns)
        _attribute(gold, written)
        return _read(written), score(scorer, gold, written) if scorer else Scored()


def attribute_turns(turns: Iterable[Turn]) -> Predictions:
    """Attribute the turns, and return the predictions."""
    return attribute_and_score(turns, None)[0]


def _attribute(turns: Path, written: Path) -> None:
    """By the command line. A turn that it refuses it names on standard error; the scorer counts it as not answered."""
    with turns.open("rb") as source, written.open("wb") as results:
        main(source, results, sys.stderr)


def _read(written: Path) -> Predictions:
    with written.open(encoding="utf-8") as lines:
        return {each["id"]: each for each in map(json.loads, lines)}


def score(scorer: Path, gold: Path, written: Path) -> Scored:
    """Return the scorer's judgement of predictions in files."""
    figures = gold.with_name("figures.json")
    command = [sys.executable, str(scorer), str(gold), str(written), "--json", str(figures)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return Scored(printed, json.loads(figures.read_text(encoding="utf-8")))

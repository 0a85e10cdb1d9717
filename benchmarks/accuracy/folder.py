"""A folder of labelled turns: its files, and what their labels are of."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.site import ROOT

DEFAULT_FOLDER = ROOT.parent / "shared" / "data"
SCORER = "score.py"
_ENDINGS = (".jsonl.gz", ".jsonl")

Turn = Mapping[str, Any]
"""A turn and its labels, as one line of a file holds them."""


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A file of turns."""

    path: Path
    turns: tuple[Turn, ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.name.removesuffix(".gz").removesuffix(".jsonl")

    @property
    def has_field_labels(self) -> bool:
        """True if it says of any field if the answer draws on it."""
        return any(label["referenced"] is not None for turn in self.turns for label in turn.get("gold") or ())

    @property
    def has_document_labels(self) -> bool:
        """True if it says of any claim or quote if its document bears it out."""
        keys = (("citations_gold", "supported"), ("quotes_gold", "verified"))
        return any(label.get(key) is not None for turn in self.turns for labels, key in keys for label in turn.get(labels) or ())


def read_folder(folder: Path) -> list[LabelledFile]:
    """Its files of turns by name; none where there is no such folder."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return [LabelledFile(path, tuple(_turns(path))) for path in sorted(paths) if path.name.endswith(_ENDINGS)]


def scorer_of(folder: Path) -> Path | None:
    """The scorer that comes with the turns, or the one of the usual folder where they came without."""
    return next((each for each in (folder / SCORER, DEFAULT_FOLDER / SCORER) if each.exists()), None)


def write_lines(path: Path, turns: Iterable[Turn]) -> None:
    """The turns as a file, one a line."""
    path.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")


def _turns(path: Path) -> Iterator[Turn]:
    """The lines that are turns; what else a folder holds is passed over."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            turn = _json(line)
            if isinstance(turn, dict) and {"id", "response", "context"} <= turn.keys():
                yield turn


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None

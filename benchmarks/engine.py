"""The engine: turns a second on one core, beside the original rules in JavaScript where they and node are at hand."""

from __future__ import annotations

import gc
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attribution import attribute, canonical_bytes, encode
from benchmarks.measuring import Row, seconds_of
from benchmarks.site import ROOT
from reviewers.review.demonstration.generated import generate
from reviewers.web.server import COLLECTOR

_TURNS = 2_000
_RUNS = 5
_RULES = ROOT.parent / "shared" / "bench" / "typed_rules.mjs"
_MAKER = ROOT.parent / "shared" / "bench" / "make_turns.py"


def measure() -> Iterator[Row]:
    """The engine on generated turns of 60 fields, alone and with its result encoded, and linearity."""
    gc.set_threshold(*COLLECTOR)
    turns = list(generate(_TURNS))
    gc.freeze()
    engine = _best(turns, lambda turn: attribute(response=turn["response"], context=turn["context"], user_text=turn["user_text"]))
    encoded = _best(turns, lambda turn: canonical_bytes(encode(attribute(response=turn["response"], context=turn["context"]))))
    yield Row("engine", engine, "turns/s")
    yield Row("engine, result as canonical JSON", encoded, "turns/s")
    if shutil.which("node") and _RULES.exists():
        yield from _race()
    yield Row("engine, time(2n)/time(n), 1 MB, collector paused", _growth(), "", "≤ 2.3")


def _best(turns: list[dict[str, Any]], call: Callable[[dict[str, Any]], object]) -> float:
    def once() -> None:
        for turn in turns:
            call(turn)

    return max(len(turns) / seconds_of(once) for _ in range(_RUNS))


def _race() -> Iterator[Row]:
    """Both on the turns that the original rules come with, alternating."""
    with tempfile.NamedTemporaryFile("wb", suffix=".jsonl") as file:
        made = subprocess.run(["python3", str(_MAKER), str(_TURNS)], capture_output=True, check=True)  # noqa: S603, S607
        file.write(made.stdout)
        file.flush()
        turns = [json.loads(line) for line in made.stdout.splitlines()]
        gc.freeze()
        ours, theirs = [], []
        for _ in range(3):
            theirs += _run_rules(Path(file.name))
            ours.append(_best(turns, lambda turn: attribute(response=turn["response"], context=turn["context"])))
    yield Row("engine on the original's turns", max(ours), "turns/s")
    yield Row("original rules, JavaScript", max(theirs), "turns/s")
    yield Row("engine ÷ JavaScript", max(ours) / max(theirs), "", "≥ 0.5")


def _run_rules(path: Path) -> list[float]:
    printed = subprocess.run(["node", str(_RULES), str(path)], capture_output=True, check=True, text=True).stdout  # noqa: S603, S607
    return [float(speed) for speed in re.findall(r"(\d+) turns/s", printed)]


def _growth() -> float:
    """The worst growth over ordinary and hostile texts when they double."""
    context = {"safety": {"risk_level": "low", "flags": ["night", "alone"], "ok": True}}
    units = [
        "a low risk, 3 nights of 12, by March 8th at 2 pm. ",
        "[[SF:",
        "[",
        "[[SF:risk_level]] ",
        "1,",
        "`",
        "low ",
        "[[SF:a[[SF:b]]]]",
    ]
    size = 500_000

    def timed(text: str) -> float:
        return min(seconds_of(lambda: attribute(response=text, context=context)) for _ in range(7))

    gc.disable()  # it looks at all there is now and then, which falls on one size or the other
    growth = max(timed(unit * (2 * size // len(unit))) / timed(unit * (size // len(unit))) for unit in units)
    gc.enable()
    return growth

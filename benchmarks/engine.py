"""The engine: turns a second on one core, beside the original rules in JavaScript where they and node are at hand."""

from __future__ import annotations

import gc
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from attribution import attribute, attribute_documents, canonical_bytes, encode
from benchmarks.measuring import Row, seconds_of
from benchmarks.site import ROOT
from reviewers.demonstration.generator import generate
from reviewers.web.http.server import COLLECTOR

_TURNS = 2_000
_RUNS = 5
_DOCUMENTS = 1_000
_CLAIMS = 200
_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za")
_RULES = ROOT.parent / "shared" / "bench" / "typed_rules.mjs"
_MAKER = ROOT.parent / "shared" / "bench" / "make_turns.py"
_RACED = 5_000
_ROUNDS = 3
_RACERS = {
    "original rules, JavaScript": ["node", str(_RULES)],
    "engine as written": [sys.executable, "-m", "benchmarks.race"],
    "engine compiled": [sys.executable, "-m", "compiled", "-m", "benchmarks.race"],
}


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
    yield Row("engine, 200 claims out of 1,000 documents of 2 KB", _with_documents(), "ms", "150")
    yield Row("engine, time(2n)/time(n), 1 MB, collector paused", _growth(), "", "≤ 2.3")


def _best(turns: list[dict[str, Any]], call: Callable[[dict[str, Any]], object]) -> float:
    def once() -> None:
        for turn in turns:
            call(turn)

    return max(len(turns) / seconds_of(once) for _ in range(_RUNS))


def _with_documents() -> float:
    documents = [
        {"source_id": f"s{number}", "chunk_id": "1", "title": f"Leaflet {number}", "content": " ".join(_sentences(number))}
        for number in range(_DOCUMENTS)
    ]
    response = " ".join(f"{next(_sentences(number)).rstrip('.')} [{number + 1}]." for number in range(_CLAIMS))
    return 1_000 * min(seconds_of(lambda: attribute_documents(response=response, documents=documents)) for _ in range(_RUNS))


def _sentences(number: int) -> Iterator[str]:
    """Twenty sentences of a dozen words, other ones for each number."""
    for first in range(0, 240, 12):
        spoken = [str((number * 7_919 + place * place * 31) % 10_000) for place in range(first, first + 12)]
        yield " ".join("".join(_SYLLABLES[int(digit)] for digit in each) for each in spoken) + "."


def _race() -> Iterator[Row]:
    """All on the turns that the original rules come with, one after the other, in turns; the best pass of each."""
    with tempfile.NamedTemporaryFile("wb", suffix=".jsonl") as file:
        file.write(subprocess.run(["python3", str(_MAKER), str(_RACED)], capture_output=True, check=True).stdout)  # noqa: S603, S607
        file.flush()
        speeds: dict[str, list[float]] = {name: [] for name in _RACERS}
        for _ in range(_ROUNDS):
            for name, command in _RACERS.items():
                speeds[name] += _speeds([*command, file.name])
    theirs = max(speeds["original rules, JavaScript"])
    for name in _RACERS:
        yield Row(name, max(speeds[name]), "turns/s")
    yield Row("engine as written ÷ JavaScript", max(speeds["engine as written"]) / theirs, "", "≥ 1")
    yield Row("engine compiled ÷ JavaScript", max(speeds["engine compiled"]) / theirs, "", "≥ 1")


def _speeds(command: list[str]) -> list[float]:
    printed = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT).stdout  # noqa: S603
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

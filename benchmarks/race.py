"""``python -m benchmarks.race TURNS.jsonl``: how many turns a second the engine attributes, pass by pass, in a process of its own."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

from attribution import attribute
from benchmarks.measuring import seconds_of
from reviewers.web.http.server import COLLECTOR

PASSES = 5


def main() -> None:
    """Print one figure a pass."""
    turns = [json.loads(line) for line in Path(sys.argv[1]).read_bytes().splitlines()]
    gc.set_threshold(*COLLECTOR)
    gc.freeze()

    def once() -> None:
        for turn in turns:
            attribute(response=turn["response"], context=turn["context"])

    for _ in range(PASSES):
        print(f"{len(turns) / seconds_of(once):.0f} turns/s", flush=True)


if __name__ == "__main__":
    main()

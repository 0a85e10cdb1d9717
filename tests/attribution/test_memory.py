"""The engine's memory is bounded: a million turns take no more than the first hundred thousand."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attribution import attribute
from reviewers.demonstration.generator import generate

FILLING, MANY = 150_000, 1_000_000
WHOLE = 20
"""One turn in so many is a whole answer; the others say only what no other turn says, which is what could be kept."""
MOST_GROWTH = 8 * 1024


def resident() -> int:
    """The process's resident memory in KiB."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def turns() -> Iterator[dict[str, Any]]:
    """Turns without end; each has words, names and a number that no other has."""
    models = itertools.cycle(generate(500))
    for number in itertools.count(1):
        own = {"nickname": f"Nick{number}", "case number": number, f"note {number}": f"seen {number} times"}
        said = f"[[SF:nickname]] Nick{number} has case {number}."
        if number % WHOLE:
            yield {"response": said, "context": {"more": own}}
        else:
            turn = next(models)
            yield {"response": f"{turn['response']} {said}", "context": turn["context"] | {"more": own}}


@pytest.mark.exhaustive
def test_a_million_turns_take_no_more_memory_than_the_first() -> None:
    for number, turn in enumerate(turns()):
        attribute(**turn)
        if number == FILLING:
            before = resident()
        if number == MANY:
            break
    assert resident() - before <= MOST_GROWTH

"""A sample of many generated cases by default, another one with each commit; `make test-all` tries them all."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest


@cache
def commit() -> str:
    """Return what samples are drawn by: the commit that is checked out, or a constant where there is none."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, check=False, text=True)  # noqa: S607
    except OSError:
        return "no git"
    return done.stdout.strip() or "no commit"


def chance(*names: object) -> Random:
    """Return a source of chance that is the same in each process that tests this commit."""
    return Random(f"{commit()} {names}")  # noqa: S311 - a sample, no secret


def sampled(cases: Iterable[Any], *covers: Callable[[Any], Hashable], more: int = 0) -> list[Any]:
    """Return all cases as parameters, those marked `exhaustive` that are not in the sample.

    The sample has each value of each of `covers` at least once, and so many `more`. A case that is a tuple has a value for each argument.
    """
    cases = list(cases)
    order = list(range(len(cases)))
    chance(len(cases)).shuffle(order)
    chosen, seen = set(order[:more]), set()
    for place in order:
        values = {(number, cover(cases[place])) for number, cover in enumerate(covers)}
        if not values <= seen:
            chosen.add(place)
            seen |= values
    marks = [() if place in chosen else pytest.mark.exhaustive for place in range(len(cases))]
    return [pytest.param(*(case if type(case) is tuple else (case,)), marks=mark) for case, mark in zip(cases, marks, strict=True)]

"""Answers that an earlier version of the engine attributed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attribution import engine

EARLIER = "1.9.0"


@contextmanager
def by_an_earlier_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Attribute under another version, which gave half a point to whatever it found."""
    present = engine.rows_of

    def rows_of(*arguments):
        return tuple(each._replace(score=0.5, confidence=0.5) if each.score else each for each in present(*arguments))

    with monkeypatch.context() as patched:
        patched.setattr(engine, "ENGINE_VERSION", EARLIER)
        patched.setattr(engine, "rows_of", rows_of)
        yield

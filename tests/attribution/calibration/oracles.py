"""Second implementations of our statistics, imported when a test first asks: every process that collects tests would wait for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Oracle:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


metrics = Oracle("sklearn.metrics")
proportion = Oracle("statsmodels.stats.proportion")
rating = Oracle("statsmodels.stats.inter_rater")
sm = Oracle("statsmodels.api")
special = Oracle("scipy.special")
stats = Oracle("scipy.stats")

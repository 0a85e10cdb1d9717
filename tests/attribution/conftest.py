"""The engine's tests need neither Django nor a database. Hypothesis finds the same examples every time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

_EVERYTHING, _SAMPLE = 100, 40
"""So many examples of each property, in ``make test-all`` and in ``make test``."""

for name, count in (("everything", _EVERYTHING), ("sample", _SAMPLE)):
    settings.register_profile(
        name, derandomize=True, database=None, deadline=None, max_examples=count, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("sample")


def pytest_configure(config: pytest.Config) -> None:
    """All examples where the long forms of tests are asked for."""
    if "not exhaustive" not in config.getoption("markexpr"):
        settings.load_profile("everything")

"""Hooks of what slices share: lists that slices fill in their ``AppConfig.ready``."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

background_loops: list[Callable[[Event], None]] = []
"""Loops that the worker runs beside its jobs, each in a thread of its own, until the event is set."""

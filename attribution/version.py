"""The engine's version: part of every result, changed whenever the same input may give another one."""

from __future__ import annotations

ENGINE_VERSION = "2.0.0"

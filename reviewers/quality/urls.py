"""Addresses of the slice."""

from __future__ import annotations

urlpatterns: list[object] = []

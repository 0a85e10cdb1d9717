"""What slices above add to the API's answer of a snapshot. They may not be imported here, so they say so when the site starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

Read = Callable[[UUID, UUID], Any]
"""Takes the identifiers of the organisation and of the snapshot; gives plain JSON values."""

_additions: dict[str, Read] = {}


def add_to_answer(name: str, read: Read) -> None:
    """The answer has one member more."""
    _additions[name] = read


def read_additions(organisation_id: UUID, snapshot_id: UUID) -> dict[str, Any]:
    """All that is added to the answer of one snapshot."""
    return {name: read(organisation_id, snapshot_id) for name, read in _additions.items()}

"""The last checkpoint of each organisation, kept outside the database: what shows that an older backup was restored."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings

from reviewers.web.environment import write_private


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where an organisation's last checkpoint lies."""

    place: Path

    def read(self) -> str:
        """The note; empty where there is none yet."""
        try:
            return self.place.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def write(self, note: str) -> None:
        """Put another one there."""
        write_private(self.place, note)


@contextmanager
def open_shelf(organisation_id: UUID) -> Iterator[Shelf]:
    """The shelf of an organisation, for one at a time on this machine: an older checkpoint never takes the place of a newer one."""
    folder: Path = settings.LEDGER_FOLDER / "checkpoints"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{organisation_id}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Shelf(folder / f"{organisation_id}.txt")


def read_published(organisation_id: UUID) -> str:
    """The note that was last published; empty where there is none."""
    return Shelf(settings.LEDGER_FOLDER / "checkpoints" / f"{organisation_id}.txt").read()


def list_published() -> list[UUID]:
    """Return the organisations that a checkpoint was ever published of."""
    return [UUID(each.stem) for each in sorted((settings.LEDGER_FOLDER / "checkpoints").glob("*.txt"))]

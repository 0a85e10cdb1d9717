"""Labels from elsewhere, as files that tests send."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.calibration.labels.actions import import_labels, read_file
from reviewers.calibration.models import ImportedSet
from tests.factories import NOW

LEVELS = 12


def turn(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A turn of which one level in five is found and not meant, with a label on each."""
    context = {"safety": {f"level_{each}": f"Level {each}" for each in range(LEVELS)} | {"other": "elsewhere"}}
    response = " ".join(f"Level {each} is reached." for each in range(LEVELS))
    gold = [{"section": "safety", "path": f"level_{each}", "referenced": (each + number) % 5 != 0} for each in range(LEVELS)]
    gold.append({"section": "safety", "path": "other", "referenced": None})
    made = {"id": f"turn {number}", "conversation_id": f"talk {number}", "model": "calibrated", "prompt_version": "prompt 1"}
    return made | {"response": response, "context": context, "gold": gold} | changes


def lines(*turns: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in turns)


class Rewound(SimpleUploadedFile):
    """A file that may be sent more than once."""

    def read(self, *arguments: Any) -> bytes:
        self.seek(0)
        return super().read(*arguments)


def labelled_turns(name: str = "turns.jsonl", content: bytes | None = None) -> SimpleUploadedFile:
    return Rewound(name, lines(turn()) if content is None else content)


def bring(organisation: Organisation, content: bytes | None = None, source: str = "the fair") -> ImportedSet:
    """The first set of a file, brought in."""
    numbered = enumerate((lines(turn()) if content is None else content).splitlines(), start=1)
    sets = read_file(numbered, organisation, source)
    brought = [import_labels(incoming=each, source=source, organisation=organisation, by=SYSTEM, now=NOW) for each in sets]
    return brought[0].imported

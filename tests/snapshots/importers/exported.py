"""Exports of other tools, in small files of our own in their shapes, and their reading."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from reviewers.snapshots.importers.export import ExportedTurns, PlacedTurn
from reviewers.snapshots.importers.tools import TOOLS
from reviewers.snapshots.importers.turns import Paths
from reviewers.web.tenancy import tenant

FOLDER = Path(__file__).parent / "exports"

ASKED = "is the ferry house open late?"
ANSWER = "Yes: Ferry House is open until 9 pm, and your visits there are covered [1]."
CONTEXT = {"plan": {"coverage": "covered", "copay": None}, "wishes": {"evening": True}}
OPENING = {"opening_hours": {"name": "Ferry House", "closes": "9 pm"}}
DOCUMENT = {
    "id": "leaflet-4",
    "content": "Visits at Ferry House are covered.",
    "title": "Coverage",
    "url": "https://plans.example/ferry",
}
HELLO = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello!"}]

EXPORTS = {
    "langfuse": [
        ["langfuse-3/trace.json"],
        ["langfuse-3/trace-download.json"],
        ["langfuse-3/observations_v2.jsonl", "langfuse-3/scores.jsonl"],
        ["langfuse-3/traces.csv"],
    ],
    "langsmith": [["langsmith-0.6/runs.jsonl", "langsmith-0.6/feedback.jsonl"], ["langsmith-0.6/runs-with-child-runs.json"]],
    "phoenix": [["phoenix-13/spans.json", "phoenix-13/span_annotations.json"], ["phoenix-13/spans.csv"]],
    "openai": [
        ["openai-v1/completions.jsonl"],
        ["openai-v1/batch-input.jsonl", "openai-v1/batch-output.jsonl"],
        ["openai-v1/responses.jsonl"],
    ],
    "label-studio": [["label-studio-1/tasks.json"], ["label-studio-1/tasks.csv"]],
}
"""The files of each tool, those of one export together."""
EVERY_EXPORT = [(tool, *files) for tool, exports in EXPORTS.items() for files in exports]


def paths_of(names: Iterable[str]) -> list[Path]:
    return [FOLDER / name for name in names]


def read(tool: str, *files: str | Path, paths: Paths | None = None) -> tuple[list[PlacedTurn], ExportedTurns]:
    """The turns of an export, and the export after reading."""
    export = ExportedTurns(TOOLS.get(tool), paths or Paths())
    for file in files:
        export.read(FOLDER / file, lambda _: None)
    return list(export.turns()), export


def records(tool: str, *files: str | Path, paths: Paths | None = None) -> list[dict[str, Any]]:
    return [dict(turn.read.record) for turn in read(tool, *files, paths=paths)[0]]


def run(*files: Path | str, **options: Any) -> str:
    """The output of the command."""
    output = io.StringIO()
    with tenant.outside():
        call_command("import", *(str(FOLDER / file) for file in files), stdout=output, **options)
    return output.getvalue()


def refusal(*files: Path | str, **options: Any) -> tuple[str, list[str]]:
    """The output of the command, and the lines of its complaint."""
    output = io.StringIO()
    try:
        with tenant.outside():
            call_command("import", *(str(FOLDER / file) for file in files), stdout=output, **options)
    except CommandError as error:
        assert error.returncode == 1  # noqa: PT017 — what the shell sees
        return output.getvalue(), str(error).splitlines()
    raise AssertionError("nothing was refused")

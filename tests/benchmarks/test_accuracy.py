"""``make accuracy`` from end to end, on made-up turns with a scorer of their own."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy import figures, rules
from benchmarks.accuracy.figures import FileFigures, labels_digest, read_figures, turned, wrong_bits
from benchmarks.accuracy.tables import lines_of_changes
from tests.benchmarks.labelled import citing, label, row, turn, verdicts

SCORER = """
import json, sys
gold, predictions, _, out = sys.argv[1:]
turns = [len(open(path).readlines()) for path in (gold, predictions)]
print("scored turns", *turns)
json.dump({"fields": {"overall": dict.fromkeys(("P", "R", "F1", "AP", "ECE", "IoU+"), 0.5) | {"FPR-hard": None}}}, open(out, "w"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fields.jsonl").write_text("".join(json.dumps(turn(number)) + "\n" for number in (1, 2)) + "no turn\n")
    with gzip.open(tmp_path / "papers.jsonl.gz", "wt") as lines:
        lines.write(json.dumps(citing()))
    (tmp_path / "other.jsonl").write_text('{"note": "no turn"}\n')
    (tmp_path / "score.py").write_text(SCORER)
    return tmp_path


@pytest.fixture(autouse=True)
def committed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The figures of the tests are not those of the project."""
    path = tmp_path_factory.mktemp("committed") / "figures.json"
    monkeypatch.setattr(command, "read_figures", lambda: figures.read_figures(path))
    monkeypatch.setattr(command, "write_figures", lambda measured: figures.write_figures(measured, path))
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object, module: Any = command) -> int:
    monkeypatch.setattr(sys, "argv", ["accuracy", *map(str, arguments)])
    status: int = module.main()
    return status


def test_a_folder_that_is_not_there_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, "--data", tmp_path / "nowhere") == 0
    assert capsys.readouterr().out == f"No labelled turns in {tmp_path / 'nowhere'}; nothing to measure.\n"


def test_every_file_is_measured_or_says_why_not(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, "--data", folder) == 0
    printed = capsys.readouterr().out
    assert "== papers\nscored turns 1 1" in printed
    assert "Supported, but refused: 1" in printed
    assert "quote 1 (exact): 0.00" in printed
    assert "the source has ‘85’ where the quote has ‘95’" in printed
    assert "== other\nnot measured: no labelled turns in it" in printed
    assert "scored turns 2 2" in printed
    assert "money.amount" in printed
    assert "Dentists (development)" in printed
    assert "first paraphrases: 3 of 3 keys renamed; 0 rows lost" in printed
    assert "CHANGES: no figures of this file are committed" in printed


def test_what_is_kept_is_compared_with_later(folder: Path, committed: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run(monkeypatch, "--data", folder, "--keep")
    assert list(read_figures(committed)) == ["fields", "papers"]
    assert read_figures(committed)["papers"].tables["services"]["claims (development)"]["accepted"] == 1
    assert "Alder" not in committed.read_text()
    capsys.readouterr()

    run(monkeypatch, "--data", folder, "--only", "changes")
    assert "1 of 1 lines as committed" in capsys.readouterr().out

    lost = turn(1, response="It asks eighty-five.")
    (folder / "fields.jsonl").write_text(json.dumps(lost) + "\n" + json.dumps(turn(2)) + "\n")
    run(monkeypatch, "--data", folder, "--only", "changes")
    printed = capsys.readouterr().out
    assert "ROWS newly right: 0" in printed
    assert 'turn-1  provider_genome.practice_name = "Alder House Dental"' in printed


def test_texts_of_held_out_services_are_shown_when_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    missed = [turn(number, source=f"made/{service}", response="Nothing.") for number, service in enumerate(["Apples", "Baths"])]
    (folder / "fields.jsonl").write_text("".join(json.dumps(each) + "\n" for each in missed))
    run(monkeypatch, "--data", folder, "--only", "errors")
    assert "turn-1 " not in capsys.readouterr().out
    run(monkeypatch, "--data", folder, "--only", "errors", "--held-out")
    assert "turn-1 " in capsys.readouterr().out


def test_the_rules_of_a_folder_are_checked(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    before = rules.TABLE.read_bytes()
    assert run(monkeypatch, "--data", folder, "--check", module=rules) == 0
    misleading = [turn(number, gold=[label("fee", is_meant=False)]) for number in range(rules.FEWEST)]
    (folder / "fields.jsonl").write_text("".join(json.dumps(each) + "\n" for each in misleading))
    assert run(monkeypatch, "--data", folder, "--check", module=rules) == 1
    assert "money.amount: 0.95 by default, 0.00 measured (0 of 20 right)" in capsys.readouterr().out
    assert rules.TABLE.read_bytes() == before


def test_rows_that_have_turned_are_found_by_one_bit_each() -> None:
    then = verdicts(row("practice_name"), row("city"))
    before = FileFigures({}, labels_digest(then), wrong_bits(then))
    now = verdicts(row("fee"))
    compared = turned(now, before)
    assert compared is not None
    assert [[each.path for each in rows] for rows in compared] == [["fee", "city"], ["practice_name"]]


def test_rows_of_other_labels_are_not_compared() -> None:
    before = FileFigures({}, labels_digest(verdicts()), wrong_bits(verdicts()))
    assert turned(verdicts(gold=[label("fee", is_meant=True)]), before) is None


def test_each_figure_that_has_moved_is_shown_with_its_change() -> None:
    before = {"bool": {"F1": 0.5, "rows": 3}, "number": {"F1": 0.9, "rows": 1}, "gone": {"F1": 0.1, "rows": 1}}
    now = {"bool": {"F1": 0.75, "rows": 2}, "number": {"F1": 0.9, "rows": 1}, "list": {"F1": 0.25, "rows": 1}}
    lines = [" ".join(line.split()) for line in lines_of_changes(now, before)]
    assert lines == ["F1 rows", "bool 0.7500 +0.2500 2 -1", "list 0.2500 new 1 new", "gone - gone - gone", "1 of 3 lines as committed"]

"""``manage.py calibrate``: the same figures for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from reviewers.calibration.labels.actions import document_of
from tests.calibration.labelled import make_proposed


@pytest.fixture
def proposed(lead, alice):
    return make_proposed(lead, alice)


def calibrate(capsys, *arguments, **options) -> str:
    call_command("calibrate", *arguments, **options)
    return capsys.readouterr().out


@pytest.fixture
def names(proposed):
    return {"organisation": proposed.organisation.slug, "model": "model-a", "prompt": "prompt 1"}


def test_fit_prints_the_name_that_the_page_would_propose(capsys, proposed, names):
    name, labels = calibrate(capsys, "fit", **names).splitlines()

    assert name == proposed.name
    assert labels.startswith("120 labels of 4 conversations, method_only, sha256:")


def test_exported_labels_give_the_same_name_without_the_site(capsys, proposed, tmp_path):
    file = tmp_path / "labels.jsonl"
    file.write_bytes(document_of(proposed))

    assert calibrate(capsys, "fit", labels=file).splitlines()[0] == proposed.name


def test_shadow_prints_what_would_change(capsys, names):
    report = json.loads(calibrate(capsys, "shadow", **names))

    assert (report["messages"], report["changed_messages"]) == (4, 4)


def test_report_prints_the_record(capsys, names):
    record = json.loads(calibrate(capsys, "report", **names))

    assert record["labels"]["labels"] == 120
    assert record["evaluation"]["cox"]["verdict"] in {"not_rejected", "rejected", "cannot_tell"}


def test_a_combination_that_nobody_saw_is_refused_with_those_there_are(names):
    with pytest.raises(CommandError, match="--model 'model-a' --prompt 'prompt 1' --schema ''"):
        call_command("calibrate", "fit", **names | {"model": "model-z"})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "Say whose labels"),
        ({"organisation": "nowhere"}, "There is no organisation nowhere"),
        ({"labels": "/nowhere/labels.jsonl"}, "labels.jsonl: "),
    ],
)
def test_what_is_not_there_is_said(db, options, said):
    options = {name: Path(value) if name == "labels" else value for name, value in options.items()}
    with pytest.raises(CommandError, match=said):
        call_command("calibrate", "fit", **options)

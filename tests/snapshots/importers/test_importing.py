"""``manage.py import --from``: exports of other tools come in as records do, once, and their labels are kept apart."""

from __future__ import annotations

import gzip
import json

import pytest

from reviewers.accounts.models import Organisation
from reviewers.calibration.models import ImportedSet
from reviewers.review.models import QueueItem
from reviewers.snapshots.ingest.actions import BATCH
from reviewers.snapshots.models import Snapshot
from tests.events import events
from tests.factories import make_member, make_organisation, make_record, sign_in
from tests.snapshots.importers.exported import ANSWER, ASKED, CONTEXT, EVERY_EXPORT, FOLDER, refusal, run
from tests.state import state_of_tables

LANGFUSE = ("langfuse-3/observations_v2.jsonl", "langfuse-3/scores.jsonl")


@pytest.fixture(autouse=True)
def organisation(db) -> Organisation:
    return make_organisation()


def lines(path, *objects):
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return path


def task(number: int, **data):
    return {"id": number, "project": 3, "annotations": [], "data": {"response": ANSWER, "context": CONTEXT} | data}


def test_an_export_is_frozen_and_waits_in_the_queue_and_its_labels_are_kept_apart(organisation):
    said = run("langfuse-3/trace.json", tool="langfuse").splitlines()

    assert said == [
        "1 frozen, 0 known already, 0 refused.",
        "2 labels on caremate-4, visits 7 brought in.",
        "Scores that are no labels, as they name no field of the context or say neither true nor false: helpfulness (1).",
    ]
    kept = Snapshot.objects.get()
    assert (kept.external_id, kept.conversation_id) == ("8f1c2a7e90b34d55a1c07e2d6b9f0a11", "talk-31")
    assert QueueItem.objects.filter(organisation=organisation).count() == 1
    imported = ImportedSet.objects.get()
    assert (imported.source, imported.label_count, imported.combination.model) == ("trace.json", 2, "caremate-4")
    assert [event["actor"]["kind"] for event in [*events("snapshot.frozen"), *events("labels.imported")]] == ["system", "system"]


@pytest.mark.parametrize("export", EVERY_EXPORT, ids=lambda export: export[1])
def test_a_second_import_changes_nothing(export):
    tool, *files = export
    has_refusals = any("batch" in file or file.endswith("traces.csv") for file in files)
    said = refusal(*files, tool="auto")[0] if has_refusals else run(*files, tool="auto")
    before = state_of_tables()

    again = refusal(*files, tool=tool)[0] if has_refusals else run(*files, tool=tool)

    count = Snapshot.objects.count()
    assert count
    assert said.startswith(f"{count} frozen, 0 known already, ")
    assert again.startswith(f"0 frozen, {count} known already, ")
    assert again.count("known already.") == said.count("brought in.")
    assert state_of_tables() == before


def test_labels_are_on_the_turns_that_are_stored_here():
    run(*LANGFUSE, tool="langfuse")

    document = ImportedSet.objects.get()
    kept = Snapshot.objects.get()
    from reviewers.calibration.labels.imports import build_dataset_with_imports  # noqa: PLC0415 — used by this test only

    read = build_dataset_with_imports(document.combination, [document.pk])
    assert [(each.message, each.section, each.path, each.is_used) for each in read.observations] == [
        (str(kept.pk), "plan", "coverage", True)
    ]


def test_what_is_missing_is_counted_and_what_is_no_turn_is_refused():
    said, complaint = refusal("langfuse-3/traces.csv", tool="langfuse")

    assert said.splitlines()[0] == "1 frozen, 0 known already, 1 refused."
    assert "No model in this trace: name its path in a mapping file. (1)" in said
    assert complaint == [
        "Refused:",
        "traces.csv, line 3: no answer in this trace; if it has one, name its path as response in a mapping file",
    ]


def test_a_mapping_file_names_what_differs(tmp_path):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"context": "metadata.case", "model": "name", "user_text": "input.question"}))

    said = refusal("langfuse-3/traces.csv", tool="langfuse", mapping=mapping)[0]

    record = json.loads(bytes(Snapshot.objects.get().record))
    assert (record["context"], record["model"], record["user_text"]) == (CONTEXT, "turn", ASKED)
    assert "No context" not in said


def test_a_mapping_file_names_the_fields_of_scores(tmp_path):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"labels": {"coverage_used": "wishes.evening"}}))

    said = run("langsmith-0.6/runs.jsonl", "langsmith-0.6/feedback.jsonl", tool="langsmith", mapping=mapping)

    assert "2 labels on caremate-4, visits 9ac3 brought in." in said
    assert "Scores that are no labels, as they name no field of the context or say neither true nor false: correctness (1)." in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "not JSON: Expecting value at line 1, column 2"),
        ("[]", "must be a JSON object of paths by field"),
        ('{"contxt": "a"}', "contxt: no field of a record; there are id, response, "),
        ('{"context": 1}', "context: must be text"),
        ('{"labels": []}', "labels: must be an object of fields by the name of a score"),
        ('{"labels": {"a": 1}}', "labels.a: must be text"),
        (None, "No such file"),
    ],
)
def test_a_faulty_mapping_file_stops_the_import(tmp_path, content, said):
    mapping = tmp_path / "mapping.json"
    if content is not None:
        mapping.write_text(content)

    _, complaint = refusal("langfuse-3/traces.csv", tool="langfuse", mapping=mapping)

    assert complaint[0].startswith("The mapping file cannot be used: ")
    assert said in complaint[0]
    assert not Snapshot.objects.exists()


def test_a_dry_run_says_what_would_come_and_stores_nothing():
    before = state_of_tables()
    turn = "0195a1f0-0000-7000-8000-000000000001"
    parts = "sections opening_hours, plan, wishes, 1 document, 1 tool call, model caremate-4, prompt visits 9ac3, 1 label"

    said = run("langsmith-0.6/runs.jsonl", "langsmith-0.6/feedback.jsonl", tool="langsmith", dry_run=True).splitlines()

    assert said[0].startswith(f"runs.jsonl, line 1: {turn} would be frozen, {parts}, ")
    assert said[0].endswith(" of 5 fields found in the answer")
    assert said[1:] == ["Turns read: 1; nothing was stored."]
    assert state_of_tables() == before


def test_a_dry_run_is_about_the_first_20_and_says_what_is_missing_known_and_refused(tmp_path):
    path = lines(tmp_path / "tasks.jsonl", *(task(number) for number in range(30)), {"id": 40, "annotations": [], "data": {}})
    run(lines(tmp_path / "some.jsonl", task(0)), tool="label-studio")
    lines(path, {"id": 50, "annotations": [], "data": {}}, task(0), *(task(number, context="no") for number in range(1, 30)))

    output, complaint = refusal(path, tool="label-studio", dry_run=True)
    said = output.splitlines()

    assert said[0] == "tasks.jsonl, line 2: 0 known already, sections plan, wishes"
    assert "    The context of this task is no JSON object, so it was not used." in said
    assert sum(each.startswith("tasks.jsonl") for each in said) == 19
    assert said[-1] == "Turns read: 31; nothing was stored."
    assert complaint[1:] == ["tasks.jsonl, line 1: no answer in this task; if it has one, name its path as response in a mapping file"]
    assert Snapshot.objects.count() == 1


def test_a_dry_run_of_records_reads_no_more_of_the_file_than_it_tells_of(tmp_path):
    path = lines(tmp_path / "turns.jsonl", *(make_record(id=f"turn {number}") for number in range(25)))

    said = run(path, dry_run=True).splitlines()

    assert said[0].startswith("turns.jsonl, line 1: turn 0 would be frozen, sections ")
    assert said[-1] == "Turns read: 20; nothing was stored."


def test_names_from_a_file_cannot_write_to_the_terminal_as_they_like(tmp_path):
    name = "\x1b[2J" + "n" * 200
    chosen = [{"was_cancelled": False, "result": [{"from_name": name, "value": {"choices": ["used"]}}]}]
    path = lines(tmp_path / "tasks.jsonl", task(1, context={name: {"a": 1}}) | {"annotations": chosen})

    said = run(path, tool="label-studio", dry_run=True) + run(path, tool="label-studio")

    assert "\x1b" not in said
    assert said.count("�[2Jnnn") == 2


def test_a_broken_line_says_file_line_and_reason_and_the_rest_comes_in(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text(f"{json.dumps(task(1))}\n{{\n{json.dumps({'id': 2})}\n{json.dumps(task(3, turn_index=-1))}\n{json.dumps(task(4))}\n")

    said, complaint = refusal(path, tool="label-studio")

    assert said.startswith("2 frozen, 0 known already, 3 refused.")
    assert complaint[1:] == [
        "tasks.jsonl, line 2: not JSON: Expecting property name enclosed in double quotes at line 1, column 2",
        "tasks.jsonl, line 3: not known as an export of label-studio",
        "tasks.jsonl, line 4: turn_index: must be a whole number from 0 to 2147483647",
    ]


def test_a_damaged_file_is_read_to_its_damage(tmp_path):
    whole = gzip.compress(lines(tmp_path / "tasks.jsonl", *(task(number) for number in range(3))).read_bytes(), compresslevel=0)
    (tmp_path / "tasks.gz").write_bytes(whole[:-300])

    said, complaint = refusal(tmp_path / "tasks.gz", tool="label-studio")

    assert Snapshot.objects.count() >= 1
    assert said.endswith("\n")
    assert complaint[1].startswith("tasks.gz: the file is damaged, ")


def test_more_than_a_batch_comes_in(tmp_path):
    path = lines(tmp_path / "tasks.jsonl", *(task(number) for number in range(BATCH + 5)))

    assert run(path, tool="label-studio").startswith(f"{BATCH + 5} frozen, ")


def test_other_content_under_a_known_identifier_is_refused(tmp_path):
    run(lines(tmp_path / "tasks.jsonl", task(1)), tool="label-studio")

    _, complaint = refusal(lines(tmp_path / "tasks.jsonl", task(1, response="Something else.")), tool="label-studio")

    assert complaint[1] == "tasks.jsonl, line 1: id: a snapshot of this id has another content; it is not changed"


def test_a_turn_that_is_refused_brings_no_labels(tmp_path):
    chosen = [{"was_cancelled": False, "result": [{"from_name": "plan.coverage", "value": {"choices": ["used"]}}]}]
    path = lines(tmp_path / "tasks.jsonl", task(1, turn_index=-1) | {"annotations": chosen})

    refusal(path, tool="label-studio")

    assert not ImportedSet.objects.exists()


def test_records_come_in_from_lists_and_tables_too(tmp_path):
    record = make_record(id="one")
    (tmp_path / "turns.json").write_text(json.dumps([record, make_record(id="two")], indent=1))
    (tmp_path / "turns.csv").write_text('id,response,context,turn_index,model\nthree,Fine.,"{""plan"": {""coverage"": ""full""}}",4,\n')

    assert run(tmp_path / "turns.json", tmp_path / "turns.csv") == "3 frozen, 0 known already, 0 refused.\n"
    assert run(lines(tmp_path / "turns.jsonl", record), tool="auto") == "0 frozen, 1 known already, 0 refused.\n"
    kept = Snapshot.objects.get(external_id="three")
    assert (kept.turn_index, json.loads(bytes(kept.record))["context"]) == (4, {"plan": {"coverage": "full"}})


def test_a_mapping_file_is_for_records_too(tmp_path):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"response": "reply.text", "id": "case"}))
    path = lines(tmp_path / "turns.jsonl", {"case": "c-1", "reply": {"text": ANSWER}, "context": CONTEXT})

    run(path, mapping=mapping)

    assert Snapshot.objects.get().external_id == "c-1"


def test_where_no_tool_is_known_it_has_to_be_said(tmp_path):
    _, complaint = refusal(lines(tmp_path / "export.jsonl", {"what": 1}), tool="auto")

    assert complaint == [
        "It is not known which tool exported them; say it with --from: footnote, langfuse, langsmith, phoenix, openai, label-studio."
    ]


def test_the_page_of_an_answer_says_what_its_export_does_not_have(organisation):
    refusal("langfuse-3/traces.csv", tool="langfuse")

    page = sign_in(make_member(organisation, "lead")).get(f"/items/{Snapshot.objects.get().pk}/").content.decode()

    assert (
        "No context in this trace: it is read from footnote.context in the trace&#39;s metadata; or name its path in a mapping file."
        in page
    )


def test_the_fixtures_are_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 64 * 1024


def test_a_score_on_a_name_that_no_label_may_have_leaves_the_other_labels(tmp_path):
    names = ["plan.coverage", f"plan.{'p' * 2_000}", "plan.a\0b", "plan.a\ud800b"]
    context = {"plan": {name.removeprefix("plan."): "covered" for name in names}}
    chosen = [{"from_name": name, "value": {"choices": ["yes"]}} for name in names]
    export = lines(tmp_path / "tasks.jsonl", task(1, context=context) | {"annotations": [{"result": chosen}]})

    assert "1 labels on no model given, no prompt given brought in." in run(export, tool="label-studio")
    assert ImportedSet.objects.get().label_count == 1


def test_a_cell_that_is_nested_too_deep_refuses_its_turn_alone(tmp_path):
    deep = '{""a"":' * 100 + "1" + "}" * 100
    export = tmp_path / "runs.csv"
    export.write_text(f'run_type,id,inputs,outputs\nllm,a,"{deep}","{{""text"":""hi""}}"\nllm,b,,"{{""text"":""hi""}}"\n')

    assert refusal(export, tool="langsmith")[1] == ["Refused:", "runs.csv, line 2: nested deeper than 64 levels"]
    assert Snapshot.objects.get().external_id == "b"

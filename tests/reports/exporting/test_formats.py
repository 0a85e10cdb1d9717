"""One reading of the records, many formats: what they say is the same."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.reading import read_parts
from reviewers.reports.exports.report import gather, pieces
from reviewers.reports.exports.scope import resolve_request
from reviewers.review.models import FlagKind
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import FlagChoice, put_flag, resolve_flag
from tests.factories import BOTH, CITED, NOW, choose_finding, flag_finding, make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import EVERYTHING, lines, of_item, report_of, written
from tests.review.signed import make_signed
from tests.sampling import sampled
from tests.snapshots.trust_tables import approve_table


@pytest.fixture
def signed(organisation, alice):
    signature = make_signed(alice)
    seal_now(organisation.pk)
    return signature


def test_a_report_has_what_was_asked_answered_found_said_and_signed(signed, auditor):
    (answer,) = report_of(auditor, of_item(signed.review.snapshot_id)).answers

    assert answer.question == "hi, is there somebody for evenings?"
    assert [(row.footnote, row.path, row.value) for row in answer.rows if row.footnote] == [
        (1, "risk_level", "elevated"),
        (2, "fit_score", 0.85),
    ]
    assert [(each.footnote, each.title) for each in answer.documents] == [(3, "Asking first")]
    assert {said.verdict for row in answer.rows for said in row.said} == {"correct"}
    assert [(each.printed_name, each.meaning, each.standing) for each in answer.signatures] == [("Alice Aldous", "reviewed", "holds")]
    assert answer.signatures[0].moment == "4 Mar 2026, 10:30:00 CET (UTC+01:00, Europe/Berlin)"
    assert [each.code for each in answer.findings] == ["over_cited"]
    assert {each.action for each in answer.events} >= {"snapshot.frozen", "label.saved", "review.submitted", "signature.made"}


def test_a_report_says_which_table_the_level_of_a_document_comes_from(organisation, auditor):
    approve_table(organisation, "notes.example.org, 2, our own notes")
    cited = make_item(organisation, **CITED)
    seal_now(organisation.pk)

    (answer,) = report_of(auditor, of_item(cited.pk)).answers

    assert [each.tier for each in answer.documents] == [
        "tier 1, regulator or primary research (built in)",
        "tier 2, clinical reference (the organisation’s table, version 1)",
    ]


def test_spans_are_code_points_of_the_clean_text_and_footnotes_stand_behind_their_words(signed, auditor):
    (answer,) = report_of(auditor).answers

    for excerpt in [each for row in answer.rows for each in (*row.spans, *row.claims)]:
        assert answer.text[excerpt.start : excerpt.end] == excerpt.text
    cut = [(piece[-8:], note.footnote) for piece, note in pieces(answer.text, answer.notes) if note]
    assert cut == [("elevated", 1), ("t at 85%", 2), ("sk first", 3)]


@pytest.mark.parametrize("name", ["jsonl", "csv", "html"])
def test_flags_with_what_came_of_them_and_comments_are_in_the_report(organisation, alice, lead, auditor, name):
    item = make_item(organisation)
    on_row = FlagChoice(item.pk, item.attribution_id, FlagKind.ROW)
    on_words = FlagChoice(item.pk, item.attribution_id, FlagKind.WORDS, words="risk is elevated")
    flags = [put_flag(choice=choice, note=f"a zeppelin on {choice.kind}", by=alice, now=NOW) for choice in (on_row, on_words)]
    flag_finding(choice=choose_finding(item, "over_cited"), note="a zeppelin on a finding", by=alice, now=NOW)
    resolve_flag(item_id=item.pk, flag_id=flags[0].pk, note="a quartz", by=lead, now=NOW)
    write_comment(item_id=item.pk, text="a bandoneon, @Leda Lund", by=alice, now=NOW)

    file = written(auditor, name).decode()

    for words in ("zeppelin on row", "zeppelin on words", "zeppelin on a finding", "a quartz", "a bandoneon", "risk is elevated"):
        assert words in file
    assert written(auditor, "pdf").startswith(b"%PDF")


def test_fields_that_an_answer_does_not_draw_on_are_left_out_and_counted_unless_asked_for(organisation, auditor):
    item = make_item(organisation, **BOTH)

    (without,), (full,) = report_of(auditor).answers, report_of(auditor, of_item(item.pk, all_fields=True)).answers

    assert without.left_out == 2
    assert (len(full.rows), full.left_out) == (len(without.rows) + 2, 0)
    assert "fee_range" not in {row.path for row in without.rows}


@pytest.mark.parametrize("name", sampled(FORMATS, more=4))
def test_the_same_report_twice_is_the_same_file_however_the_log_grows(organisation, signed, auditor, name):
    first = written(auditor, name, of_item(signed.review.snapshot_id))
    make_item(organisation)
    seal_now(organisation.pk)

    assert written(auditor, name, of_item(signed.review.snapshot_id)) == first


def test_the_checkpoint_of_a_report_covers_all_its_events(signed, auditor):
    report = report_of(auditor)

    (checkpoint,) = report.closing.checkpoints
    assert report.closing.waiting == 0
    assert max(event.index for event in report.answers[0].events) < checkpoint.size


def test_a_log_that_is_started_while_a_report_is_made_is_in_it(organisation, auditor):
    make_item(organisation)
    parts = read_parts(resolve_request(EVERYTHING, auditor))
    begun = next(parts)
    seal_now(organisation.pk)

    report = gather([begun, *parts])

    assert len(report.closing.checkpoints) == 1
    assert report.answers[0].events[0].origin == report.closing.checkpoints[0].origin


def test_an_event_that_waits_to_be_sealed_is_said_to(organisation, auditor):
    make_item(organisation)

    report = report_of(auditor)

    assert (report.closing.waiting, report.closing.checkpoints) == (1, ())
    assert b"not sealed yet" in written(auditor, "html")


HOSTILE = {
    "id": "../../etc/passwd",
    "client_reference": "=HYPERLINK(1)",
    "user_text": "<script>alert(1)</script> \u202egnihtyna\u202c \u200bok\x00",
    "response": "=cmd|' /C calc'!A0 Your risk is elevated [[SF:risk_level]]. \U0001f600 \u4e2d\u6587",
}


def test_no_cell_is_a_formula_and_nothing_invisible_stays_so(organisation, auditor):
    make_item(organisation, **HOSTILE)

    rows = list(csv.reader(io.StringIO(written(auditor, "csv").decode(), newline="")))
    book = openpyxl.load_workbook(io.BytesIO(written(auditor, "xlsx")))

    values = [cell for row in rows for cell in row] + [
        str(cell) for sheet in book for row in sheet.values for cell in row if cell is not None
    ]
    assert [value for value in values if value.lstrip().startswith(("=", "+", "@"))] == []
    assert "'=HYPERLINK(1)" in values
    assert not any(character in value for value in values for character in "\u202e\u200b\x00")
    assert any("[RLO]" in value and "[ZWSP]" in value for value in values)
    assert {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}


def test_a_page_has_no_script_and_runs_none(organisation, auditor):
    make_item(organisation, **HOSTILE)

    page = written(auditor, "html").decode()

    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "\u202e" not in page


def test_five_megabytes_of_text_are_written_and_a_cell_says_what_it_lacks(organisation, auditor):
    make_item(organisation, user_text="x" * 4_000_000)

    book = openpyxl.load_workbook(io.BytesIO(written(auditor, "xlsx")), read_only=True)
    question = next(row[COLUMN_VALUE] for row in book["Answers"].values if row[COLUMN_KIND] == "question")

    assert question.endswith("more characters, which the other formats have")
    assert lines(written(auditor, "jsonl"))[1]["question"] == "x" * 4_000_000


COLUMN_KIND, COLUMN_VALUE = 10, 13

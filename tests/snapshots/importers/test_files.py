"""Files of exported objects: each object with its line, whatever is wrong with the one before it."""

from __future__ import annotations

import gzip
import importlib.util
import json

import pytest

from reviewers.snapshots.importers import files
from reviewers.snapshots.importers.files import UnreadableFileError, is_lines, read_entries


def entries(path, content: bytes | str) -> list[tuple[str, object]]:
    """The places of the entries in a file, each with its value, or with the reason."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [(entry.place, entry.error or entry.value) for entry in read_entries(path)]


def test_a_list_gives_its_elements_with_their_lines_and_a_broken_one_leaves_the_others(tmp_path):
    content = '\ufeff[\n {"a": "],{"},\n\n {"a": 1, "a": 2}, nonsense,\n [1],\n {"b": {"c": [1, 2]}}\n]\n'

    assert entries(tmp_path / "export.json", content) == [
        ("line 2", {"a": "],{"}),
        ("line 4", 'duplicate key "a"'),
        ("line 4", "not JSON: Expecting value at line 1, column 1"),
        ("line 5", "must be a JSON object"),
        ("line 6", {"b": {"c": [1, 2]}}),
    ]


@pytest.mark.parametrize("content", ["[]", "[ ]", "[\n]", ""])
def test_an_empty_list_has_none(tmp_path, content):
    assert entries(tmp_path / "export.json", content) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"a": 1}, {"b": ', "the list in it has no end"),
        ('[{"a": "no end}]', "the list in it has no end"),
        ('[{"a": 1}] [', "something follows the list in it"),
        ('{\n"a": 1', "not JSON: Expecting ',' delimiter at line 2, column 7"),
    ],
)
def test_a_file_that_is_no_json_is_said_to_be_none(tmp_path, content, said):
    path = tmp_path / "export.json"
    path.write_text(content)

    with pytest.raises(UnreadableFileError) as refused:
        list(read_entries(path))
    assert str(refused.value) == said


@pytest.mark.parametrize("key", ["data", "runs", "traces", "spans"])
def test_the_answer_of_an_api_gives_the_objects_in_it(tmp_path, key):
    content = json.dumps({"object": "list", key: [{"id": 1}, 2]}, indent=1)

    assert entries(tmp_path / "export.json", content) == [(f"line 1, {key}.0", {"id": 1}), (f"line 1, {key}.1", "must be a JSON object")]


def test_an_object_that_has_a_list_of_its_own_is_one(tmp_path):
    record = {"id": "1", "response": "x", "context": {}, "data": [{"id": 2}]}

    assert entries(tmp_path / "export.jsonl", json.dumps(record)) == [("line 1", record)]


def test_lines_are_read_one_by_one(tmp_path):
    content = b'\xef\xbb\xbf{"a": 1}\r\n\n{"a": \n\xff\n[]\n{"b": 2}'

    assert entries(tmp_path / "export", content) == [
        ("line 1", {"a": 1}),
        ("line 3", "not JSON: Expecting value at line 1, column 6"),
        ("line 4", "not UTF-8 at byte 0"),
        ("line 5", "must be a JSON object"),
        ("line 6", {"b": 2}),
    ]


def test_rows_of_a_table_have_their_lines_and_cells_that_hold_json_are_read(tmp_path):
    content = 'id,input,n\n1,"{""question"": ""why,\nso?""}",2\n\n2,[1\n3,a,b,c\n4,\udcff,\n'

    assert entries(tmp_path / "export.csv", content.encode("utf-8", "surrogateescape")) == [
        ("line 2", {"id": "1", "input": '{"question": "why,\nso?"}', "n": "2"}),
        ("line 5", {"id": "2", "input": "[1"}),
        ("line 6", "has 4 cells, and the first line 3"),
        ("line 7", "not UTF-8"),
    ]


def test_a_table_that_is_none_is_read_to_where_it_breaks(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text('id,input\n1,x\n2,"no end')

    read = read_entries(path)
    assert next(read).value == {"id": "1", "input": "x"}
    with pytest.raises(UnreadableFileError, match="line 3: not CSV: unexpected end of data"):
        next(read)


@pytest.mark.parametrize("name", ["export.json.gz", "export.JSON", "export"])
def test_files_are_decompressed_whatever_they_are_called(tmp_path, name):
    assert entries(tmp_path / name, gzip.compress(b'[{"a": 1}]')) == [("line 1", {"a": 1})]


def test_objects_and_files_that_are_too_large_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_OBJECT", 1024 * 1024)
    large = '{"a": "' + "x" * 1024 * 1024 + '"}'

    assert entries(tmp_path / "export.json", f'[{large}, {{"b": 1}}]') == [("line 1", "larger than 1 MB"), ("line 1", {"b": 1})]
    assert entries(tmp_path / "export.jsonl", f'{large}\n{{"b": 1}}') == [("line 1", "larger than 1 MB"), ("line 2", {"b": 1})]
    monkeypatch.setattr(files, "LARGEST_DOCUMENT", 1024 * 1024)
    with pytest.raises(UnreadableFileError, match="it is one JSON value of more than 1 MB; export JSONL instead"):
        entries(tmp_path / "export.json", f"[{large}]")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("turns", b'{"a": 1}', True),
        ("turns.jsonl", b"[]", True),
        ("turns.json", b'{"a": 1}\n{"a": 2}', True),
        ("turns.json", b'{"a": \n1}', False),
        ("turns", b" [1]", False),
        ("turns.csv.gz", b"a", False),
        ("turns", b"PAR1", False),
        ("turns.jsonl.gz", b"\x1f\x8bdamaged", True),
    ],
)
def test_lines_of_json_are_told_from_other_files(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)

    assert is_lines(tmp_path / name) is expected


@pytest.mark.parametrize("endless", [",", '"\n",'])
def test_a_row_of_a_table_is_not_read_without_end(tmp_path, monkeypatch, endless):
    monkeypatch.setattr(files, "LARGEST_OBJECT", 2**20)
    path = tmp_path / "runs.csv.gz"
    path.write_bytes(gzip.compress(b'a\n"b\nc"\n' + endless.encode() * 2**21))
    read = read_entries(path)

    assert next(read).value == {"a": "b\nc"}
    with pytest.raises(UnreadableFileError, match="a row is larger than 1 MB"):
        next(read)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_without_pyarrow_parquet_is_refused_and_said_why(tmp_path):
    (tmp_path / "runs").write_bytes(b"PAR1")

    with pytest.raises(
        UnreadableFileError, match="Parquet is read with pyarrow, which is not installed here; install it, or export JSONL or CSV"
    ):
        list(read_entries(tmp_path / "runs"))


def test_parquet_is_read_where_pyarrow_is_installed(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = {"id": ["1", "2"], "inputs": ['{"question": "why?"}', None], "tags": [["a"], []], "n": [0.5, float("nan")]}
    parquet.write_table(pyarrow.table(rows), tmp_path / "runs.parquet")

    read = [(entry.place, entry.value) for entry in read_entries(tmp_path / "runs.parquet")]
    assert read == [
        ("row 1", {"id": "1", "inputs": {"question": "why?"}, "tags": ["a"], "n": 0.5}),
        ("row 2", {"id": "2", "tags": [], "n": None}),
    ]
    (tmp_path / "runs.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(UnreadableFileError, match="not Parquet: "):
        list(read_entries(tmp_path / "runs.parquet"))

"""Names and values of a record in words that need no explaining."""

from __future__ import annotations

import pytest

from attribution import DEFAULT_PROFILE, Field, FieldType
from reviewers.reports.why.wording import value_of
from reviewers.snapshots.field_labels import label_of, section_label


def field(path: str, value: object = "x", kind: FieldType = FieldType.FIELD_VALUE) -> Field:
    return Field("section", path, path.rpartition(".")[2], kind, value)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("phq9_score", "PHQ-9 score"),
        ("gad7_score", "GAD-7 score"),
        ("pcl5_score", "PCL-5 score"),
        ("chief_complaint", "Main concern"),
        ("fee_range", "Fee"),
        ("insurance.plan", "Insurance plan"),
        ("insurance.member_id", "Insurance member ID"),
        ("availability.days", "When the client can come, days"),
        ("alternatives.0.fit_score", "Other providers, no. 1, match score"),
        ("sleepHours", "Sleep hours"),
        ("last-screened", "Last screened"),
        ("zip", "ZIP code"),
        ("größe", "Größe"),
        ("a\\.b", "A.b"),
        ("key <b>x</b>", "Key <b>x</b>"),
        ("", ""),
        ("k" * 500, "K" + "k" * 119 + "…"),
    ],
)
def test_a_path_is_said_as_people_would(path, name):
    assert label_of(field(path)) == name


@pytest.mark.parametrize(
    ("section", "name"), [("provider_genome", "About the provider"), ("sleep_diary", "Sleep diary"), ("s" * 500, "S" + "s" * 119 + "…")]
)
def test_so_is_a_part_of_the_record(section, name):
    assert section_label(section) == name


def test_what_has_one_name_in_two_parts_is_told_apart():
    names = {label_of(Field(section, "confidence", "confidence", FieldType.NUMERIC, 1)) for section in ("client_signal", "safety", "x")}
    assert names == {"How sure the tool was of what it heard", "How sure the safety check was", "How sure the tool was"}


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (True, FieldType.BOOLEAN, "yes"),
        (False, FieldType.BOOLEAN, "no"),
        ("therapy_only", FieldType.ENUM, "therapy only"),
        ("file_name", FieldType.FIELD_VALUE, "file_name"),
        ("2026-02-19", FieldType.DATE, "19 February 2026"),
        ("next Tuesday", FieldType.DATE, "next Tuesday"),
        (["German", "English"], FieldType.LIST, "German; English"),
        ([True, 3, None], FieldType.LIST, "yes; 3; nothing recorded"),
        ({"care_of": "Ada", "days": [1]}, FieldType.FIELD_VALUE, "care of: Ada; days: 1"),
        (0.85, FieldType.NUMERIC, "0.85"),
        (0, FieldType.NUMERIC, "0"),
        ("", FieldType.EMPTY, "nothing recorded"),
        (None, FieldType.EMPTY, "nothing recorded"),
    ],
)
def test_a_value_is_said_without_codes(value, kind, said):
    assert value_of(field("x", value, kind)) == said


@pytest.mark.parametrize("name", [name for section in DEFAULT_PROFILE.data["sections"] for name in section["fields"]])
def test_what_the_shipped_profile_knows_has_no_code_in_its_name(name):
    assert label_of(field(name))[0].isupper() or label_of(field(name))[0].isdigit()
    assert "_" not in label_of(field(name))

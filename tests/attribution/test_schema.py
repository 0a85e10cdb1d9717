"""An organisation's own schema: read strictly, and used instead of the shipped registry."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from attribution import (
    DEFAULT_PROFILE,
    Attribution,
    FieldAttribution,
    GuardrailCode,
    MarkerStatus,
    SchemaError,
    Track,
    attribute,
    citation_instruction,
    read_schema,
    under_schema,
)

HELP = Path(__file__).parents[2] / "docs" / "schemas.md"
PAINS = ["none", {"value": "slight", "phrases": ["barely any"]}, "bad"]
FIELDS: dict[str, Any] = {
    "next-visit": {"type": "date", "label": "next appointment"},
    "2nd_opinion": {"type": "boolean"},
    "疼痛": {
        "type": "enum",
        "label": "pain",
        "synonyms": ["ache"],
        "values": ["none", {"value": "slight", "phrases": ["barely any"]}, "bad"],
    },
    "rung": {"type": "numeric", "label": "mobility rating", "synonyms": ["walking rank"]},
    "walk": {"type": "numeric", "unit": "minutes"},
}
DATA: dict[str, Any] = {
    "schema_version": "2026-03",
    "required_completeness": 0.4,
    "sections": [{"name": "care_plan", "prefix": "cp", "title": "Care plan", "headings": ["plan"], "fields": FIELDS}],
}


def read(response: str, values: dict[str, Any], **more: Any) -> Attribution:
    profile = under_schema(DEFAULT_PROFILE, read_schema(DATA))
    return attribute(response=response, context={"care_plan": values}, profile=profile, **more)


def row_of(attribution: Attribution, path: str) -> FieldAttribution:
    return next(row for row in attribution.fields if row.field.path == path)


def changed(**changes: Any) -> dict[str, Any]:
    return DATA | {"sections": [DATA["sections"][0] | changes]}


def field(**described: Any) -> dict[str, Any]:
    return changed(fields={"mood": described})


def test_the_example_of_the_help_can_be_read():
    (example,) = re.findall(r"```json\n(.*?)```", HELP.read_text(encoding="utf-8"), re.DOTALL)

    schema = read_schema(json.loads(example))

    assert (schema.version, [field.name for field in schema.fields][-1]) == ("2026-03", "疼痛")


@pytest.mark.parametrize("name", FIELDS)
def test_each_key_of_a_schema_can_be_cited(name):
    (marker,) = read(f"So it is [[CP:{name}]].", {name: "slight"}).markers

    assert (marker.status, marker.section, marker.path) == (MarkerStatus.RESOLVED, "care_plan", name)


def test_a_field_that_the_schema_does_not_know_is_unknown_though_the_snapshot_has_it():
    (marker,) = read("She is low [[CP:emotional_state]].", {"emotional_state": "low"}).markers

    assert (marker.status, marker.detail) == (MarkerStatus.UNKNOWN, "the schema has no field emotional_state in care_plan")


def test_absent_is_what_the_schema_has_and_the_snapshot_lacks():
    (marker,) = read("Come on Friday [[CP:next-visit]].", {"rung": 3}).markers

    assert (marker.status, marker.detail) == (MarkerStatus.ABSENT, "care_plan can have next-visit, this snapshot does not")


def test_a_section_of_the_shipped_registry_is_none_of_the_schema():
    (marker,) = read("It is elevated [[SF:risk_level]].", {"rung": 3}).markers

    assert marker.detail == "no section has the prefix SF"


def test_a_known_field_inside_another_is_cited_by_its_path():
    (marker,) = read("Three [[CP:steps.0.rung]].", {"steps": [{"rung": 3}]}).markers

    assert marker.status is MarkerStatus.RESOLVED


def test_a_value_is_said_by_its_phrases():
    row = row_of(read("There is barely any pain left.", {"疼痛": "slight"}), "疼痛")

    assert (row.track, row.method, row.rule) == (Track.FOUND_ONLY, "enum", "known_phrase")


def test_another_value_of_the_closed_set_contradicts_beside_the_label_or_a_synonym():
    for said in ("Your pain is bad.", "Your ache is bad."):
        attribution = read(said, {"疼痛": "slight"})

        contradiction = row_of(attribution, "疼痛").contradiction
        assert contradiction, said
        assert (contradiction.recorded, contradiction.stated) == ("slight", "bad")
        assert GuardrailCode.CONTRADICTED in {finding.code for finding in attribution.guardrails}


def test_a_label_and_a_synonym_bind_figures():
    for said in ("Your mobility rating is 4.", "Your walking rank is 4."):
        assert row_of(read(said, {"rung": 3}), "rung").contradiction, said


def test_without_the_label_a_figure_is_nobodys():
    assert row_of(read("There are 4 chairs.", {"rung": 3}), "rung").contradiction is None


def test_a_bare_number_is_read_in_the_unit_of_the_schema():
    half_an_hour, two_hours = (read(f"The walk takes {said}.", {"walk": 30}) for said in ("half an hour", "2 hours"))

    assert row_of(half_an_hour, "walk").contradiction is None
    assert row_of(two_hours, "walk").contradiction


def test_a_schema_keeps_the_profile_and_has_its_own_completeness():
    profile = under_schema(DEFAULT_PROFILE, read_schema(DATA))

    assert (profile.id, profile.thresholds.section_completeness) == (DEFAULT_PROFILE.id, 0.4)
    assert profile is not DEFAULT_PROFILE


def test_the_instruction_names_the_sections_of_the_schema():
    instruction = citation_instruction(under_schema(DEFAULT_PROFILE, read_schema(DATA)).registry)

    assert "The prefixes are CP for care_plan." in instruction


def test_a_schemas_id_is_a_digest_of_its_data():
    assert read_schema(DATA).id == read_schema(dict(reversed(DATA.items()))).id
    assert read_schema(DATA).id != read_schema(DATA | {"schema_version": "2026-04"}).id


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "must be an object, not a list"),
    "no version": ({"sections": DATA["sections"]}, "schema_version: is missing"),
    "an empty version": (DATA | {"schema_version": " "}, "schema_version: must not be empty, or have spaces around it"),
    "no sections": (DATA | {"sections": []}, "sections: must name at least one section"),
    "an unknown key": (DATA | {"colour": 1}, "colour: is not known here; known are schema_version, sections, required_completeness"),
    "a completeness beyond one": (DATA | {"required_completeness": 40}, "required_completeness: must be a number from 0 to 1"),
    "a completeness that is true": (DATA | {"required_completeness": True}, "required_completeness: must be a number from 0 to 1"),
    "a prefix": (
        changed(prefix="1P"),
        "sections.0.prefix: “1P” is no prefix: up to 16 ASCII letters, digits",
    ),
    "a section twice": (DATA | {"sections": DATA["sections"] * 2}, "sections: the name care_plan stands 2 times"),
    "no fields": (changed(fields={}), "sections.0.fields: must name at least one field"),
    "a list of fields": (changed(fields=["mood"]), "sections.0.fields: must be an object, not a list"),
    "a type": (field(type="colour"), "sections.0.fields.mood.type: “colour” is none of enum, numeric, summary"),
    "an enum without values": (field(type="enum"), "sections.0.fields.mood: is an enum and needs its values"),
    "values without an enum": (field(values=["low"]), "sections.0.fields.mood.values: belongs to a field of the type enum"),
    "a value twice": (field(type="enum", values=["a1", "a1"]), "sections.0.fields.mood.values: the value a1 stands 2 times"),
    "a value that is a number": (field(type="enum", values=[1]), "sections.0.fields.mood.values.0: must be an object, not a number"),
    "a phrase without words": (field(synonyms=["…"]), "sections.0.fields.mood.synonyms.0: “…” has no word in it"),
    "order that is text": (
        field(type="enum", values=["low"], ordered="yes"),
        "sections.0.fields.mood.ordered: must be true or false, not text",
    ),
    "a path for a name": (changed(fields={"a.b": {}}), "sections.0.fields.a.b: has a dot; write the last name only"),
    "a name that no marker takes": (changed(fields={"a b": {}}), "sections.0.fields.a b: is no name that a marker can cite"),
    "a disguised name": (changed(fields={"mооd": {}}), "sections.0.fields.mооd: is no name that a marker can cite"),
    "too long a name": (changed(fields={"m" * 60: {}}), "has 60 characters; 51 are the most that a marker takes"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_told_with_its_place(what):
    data, message = WRONG[what]

    with pytest.raises(SchemaError) as refused:
        read_schema(data)

    assert message in str(refused.value)


def test_a_name_means_one_thing_in_all_sections():
    other = {"name": "other", "prefix": "OT", "fields": {"rung": {"type": "money"}, "walk": FIELDS["walk"]}}

    with pytest.raises(SchemaError) as refused:
        read_schema(DATA | {"sections": [*DATA["sections"], other]})

    assert refused.value.problems == (("sections.1.fields.rung", "is described in another way in care_plan; a name means one thing"),)


def test_a_name_written_in_two_ways_means_one_thing_in_its_section():
    """The last one would hold for both, whatever people read of the first."""
    fields = {"next-visit": {"type": "date"}, "next_visit": {"type": "money"}}

    with pytest.raises(SchemaError, match="a name means one thing"):
        read_schema(DATA | {"sections": [{"name": "care_plan", "prefix": "CP", "fields": fields}]})


def test_everything_wrong_is_told_at_once():
    with pytest.raises(SchemaError) as refused:
        read_schema({"sections": [{"prefix": 1, "fields": {"mood": {"type": "colour"}}}]})

    assert [place for place, _ in refused.value.problems] == [
        "schema_version",
        "sections.0.name",
        "sections.0.prefix",
        "sections.0.fields.mood.type",
    ]


def sections_of(count: int, **described: Any) -> dict[str, Any]:
    fields = [f"f{number}" for number in range(count)]
    cut = [fields[start : start + 1_000] for start in range(0, count, 1_000)]
    sections = [{"name": f"s{at}", "prefix": f"P{at}", "fields": dict.fromkeys(names, described)} for at, names in enumerate(cut)]
    return DATA | {"sections": sections}


TOO_MUCH = {
    "fields": (sections_of(5_001), "have 5,001 fields; 5,000 are the most"),
    "synonyms": (
        sections_of(401, synonyms=["ache"] * 50),
        "have 20,050 synonyms, headings, values and phrases; 20,000 are the most",
    ),
    "phrases": (
        sections_of(401, type="enum", values=[{"value": "slight", "phrases": ["a bit"] * 49}]),
        "have 20,050 synonyms, headings, values and phrases; 20,000 are the most",
    ),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_schema_holds_so_much_in_all(name):
    data, reason = TOO_MUCH[name]

    with pytest.raises(SchemaError) as caught:
        read_schema(data)

    assert list(caught.value.problems) == [("sections", reason)]


def test_a_long_name_is_not_repeated_in_each_problem():
    long = "x" * 100_000

    with pytest.raises(SchemaError) as caught:
        read_schema(changed(fields={long: {"synonyms": [1] * 50}}))

    assert len(caught.value.problems) == 50
    assert max(len(place) for place, _ in caught.value.problems) < 100


def test_a_section_says_which_field_names_the_provider():
    registry = under_schema(DEFAULT_PROFILE, read_schema(changed(provider_name="rung"))).registry

    assert registry.names_provider("care_plan", "Rung")
    assert not registry.names_provider("care_plan", "walk")
    assert not registry.names_provider("provider_genome", "provider_name")
    assert DEFAULT_PROFILE.registry.names_provider("provider_genome", "provider_name")
    assert not DEFAULT_PROFILE.registry.names_provider("safety", "provider_name")
    assert not DEFAULT_PROFILE.registry.names_provider("safety", "")


def test_the_provider_is_named_by_one_field_that_there_is():
    with pytest.raises(SchemaError) as unknown:
        read_schema(changed(provider_name="nobody"))
    assert unknown.value.problems == (("sections.0.provider_name", "“nobody” is no field of this section"),)

    twice = [DATA["sections"][0] | {"name": name, "prefix": name, "provider_name": "rung"} for name in ("one", "two")]
    with pytest.raises(SchemaError) as found:
        read_schema(DATA | {"sections": twice})
    assert [problem.place for problem in found.value.problems] == ["sections.1.provider_name"]

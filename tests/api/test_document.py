"""The API's document says what the API does: no address more or less, no field that is not looked at, an example that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewers.accounts.models import Role, Scope, TokenScope
from tests.api.sending import post, problem_of
from tests.factories import make_member, make_record, sign_in
from tests.markup import read_markup
from tests.web.endpoints import ENDPOINTS, addresses

WRITTEN_DOWN = Path(__file__).parent / "openapi.json"
QUERIES = {"ItemQuery", "ItemFilter"}
"""Schemas of the parameters of a query: the framework lists them beside the parameters that it makes of them."""
WRONG_VALUES = {
    "integer": "seven",
    "boolean": "yes",
    "number": "much",
    "array": {"a": 1},
    "object": ["a"],
    "string": {"a": 1},
}


def wrong_value(types):
    """A value of a kind that is not among these."""
    kinds = [types] if isinstance(types, str) else types
    return WRONG_VALUES[kinds[0]] if len({*kinds} - {"null"}) == 1 else 7.5 if "array" in kinds else {"a": 1}


@pytest.fixture
def document(client):
    response = client.get("/api/v1/openapi.json")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    return response.json()


def record_schema(document):
    return document["paths"]["/api/v1/snapshots"]["post"]["requestBody"]["content"]["application/json"]["schema"]


def test_the_document_is_the_one_that_is_written_down(document):
    """A change of it is a change for every program that uses the API. To accept one, save the document there."""
    assert document == json.loads(WRITTEN_DOWN.read_text(encoding="utf-8"))


def test_the_document_describes_every_address_for_programs_and_no_other(document):
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}

    for_programs = [address for address in addresses() if isinstance(ENDPOINTS.get(address.name, ("",))[0], Scope | TokenScope)]
    for_programs = [address for address in for_programs if address.route.startswith("api/")]  # exporters append a path to any address
    answered = {
        ("/" + address.route.replace("<uuid:", "{").replace("<", "{").replace(">", "}"), method)
        for address in for_programs
        for method in ENDPOINTS[address.name][1]
    }
    assert described == answered


def references(value):
    """Every reference in a document."""
    if isinstance(value, dict):
        yield from [value["$ref"]] if "$ref" in value else []
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from references(element)


def test_the_document_is_whole(document):
    assert document["openapi"].startswith("3.1")
    assert document["info"].keys() >= {"title", "version"}
    schemas = document["components"]["schemas"]
    assert {reference.removeprefix("#/components/schemas/") for reference in references(document)} == schemas.keys() - QUERIES
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        assert operation["summary"]
        assert operation["description"]
        assert all(response["description"] for response in operation["responses"].values())
        assert len(operation["security"]) == 1
        assert operation["security"][0].keys() <= document["components"]["securitySchemes"].keys()


def test_parameters_of_a_path_are_described(document):
    for path, methods in document["paths"].items():
        for operation in methods.values():
            named = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"}
            assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}


def test_the_example_is_a_record_that_is_taken(document, program):
    example = document["paths"]["/api/v1/snapshots"]["post"]["requestBody"]["content"]["application/json"]["example"]

    answer = post(program, example)

    assert answer.status_code == 201
    assert answer.json()["attribution"]["cited"] == 1


def test_the_example_has_only_fields_that_are_described(document):
    body = document["paths"]["/api/v1/snapshots"]["post"]["requestBody"]["content"]["application/json"]

    assert body["example"].keys() <= body["schema"]["properties"].keys()


def test_every_field_that_is_described_is_looked_at(document, program):
    for name, described in record_schema(document)["properties"].items():
        refused = post(program, make_record(**{name: wrong_value(described["type"])}))

        status, place, _ = problem_of(refused)
        assert (status, place.partition(".")[0]) == (422, name)


def test_every_field_that_is_required_is_missed(document, program):
    for name in record_schema(document)["required"]:
        assert problem_of(post(program, make_record(**{name: None}))) == (422, name, "is missing")


def test_every_length_that_is_described_is_held(document, program):
    for name, described in record_schema(document)["properties"].items():
        if "maxLength" in described:
            longest = "x" * described["maxLength"]
            assert post(program, make_record(**{name: longest})).status_code == 201
            assert problem_of(post(program, make_record(**{name: longest + "x"})))[1:] == (
                name,
                f"is longer than {described['maxLength']:,} characters",
            )


@pytest.mark.parametrize(
    ("headers", "status"), [({}, 401), ({"Authorization": "Bearer fn_wrong"}, 401), ({"Authorization": "Basic Zm46Zm4="}, 401)]
)
def test_a_request_without_a_key_is_refused_as_the_document_says(document, client, headers, status, db):
    refused = client.get("/api/v1/instruction", headers=headers)

    assert refused.status_code == status
    assert str(status) in document["paths"]["/api/v1/instruction"]["get"]["responses"]
    assert refused.json().keys() == document["components"]["schemas"]["Refusal"]["properties"].keys()


def rows_of(section, caption):
    """The rows of the table with this caption, if the operation has one."""
    tables = [table for table in section.find("table") if table.one("caption").text == caption]
    return [row for table in tables for row in table.one("tbody").find("tr")]


def test_the_page_shows_the_values_of_parameters_and_what_is_meant_without_one(client):
    rows = {row.one("th").text: row.find("td")[0].text for row in rows_of(read_markup(client.get("/api/")), "In the address or a header")}

    assert rows["grammar"] == "fields or field_citations or numbered or keyed or structured or claims; fields if left out"
    assert rows["blocking"] == "boolean; false if left out"
    assert rows["signed"] == "holds or void or none, up to 3 times"
    assert rows["validity"] == "green or yellow or red or nothing_to_cite, up to 50 times"
    assert rows["since"] == "date"


def test_the_page_shows_every_operation_with_its_fields_and_answers(document, client):
    page = read_markup(client.get("/api/"))

    sections = page.find("section", class_="operation")
    shown = [section.one("h2").text for section in sections]
    assert shown == [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods]
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    for section, operation in zip(sections, operations, strict=True):
        asked = {each["name"]: each["description"] for each in operation["parameters"] if each["in"] != "path"}
        listed = {row.one("th").text: row.find("td")[1].text for row in rows_of(section, "In the address or a header")}
        assert listed == {name: meaning.replace("`", "") for name, meaning in asked.items()}
        answers = section.find("p")[-1]
        assert [code.text for code in answers.find("code")] == list(operation["responses"])


def body_of(operation, document):
    """The description of a body in JSON, wherever the document has it."""
    described = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = described.get("$ref", "").rpartition("/")[2]
    return document["components"]["schemas"][name] if name else described


def test_the_page_shows_the_fields_of_every_body_with_type_and_meaning(document, client):
    sections = read_markup(client.get("/api/")).find("section", class_="operation")
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    shown = {}
    for section, operation in zip(sections, operations, strict=True):
        body, rows = body_of(operation, document), rows_of(section, "In the body")
        assert {row.one("th").one("code").text for row in rows} == body.get("properties", {}).keys()
        required = [row.one("th").one("code").text for row in rows if row.find("span", class_="sub")]
        assert sorted(required) == sorted(body.get("required", []))
        assert rows[: len(required)] == [row for row in rows if row.find("span", class_="sub")], "those first that are required"
        assert all(cell.text for row in rows for cell in row.find("td")), operation["operationId"]
        shown[operation["operationId"].rpartition("_api_")[2]] = {row.one("th").one("code").text: row.find("td")[0].text for row in rows}
    assert shown["post_label"]["verdict"] == "correct or wrong or misstated or cannot_judge"
    assert shown["post_label"]["id"] == "uuid"
    assert shown["post_flag"]["note"] == "string, up to 2,000 characters"
    assert "`" not in "".join(section.text for section in sections)


def test_the_example_on_the_page_can_be_copied(client, program):
    record, text, conversation, schema = read_markup(client.get("/api/")).find("pre")

    assert post(program, record.raw_text.encode()).status_code == 201
    for path, example, status in (("schemas", schema, 201), ("strip", text, 200), ("history", conversation, 200)):
        assert program.post(f"/api/v1/{path}", example.raw_text, content_type="application/json").status_code == status


@pytest.mark.parametrize("role", [None, Role.REVIEWER, Role.ADMINISTRATOR])
def test_the_page_is_for_everybody(client, db, organisation, role):
    browser = sign_in(make_member(organisation, role)) if role else client

    response = browser.get("/api/")

    assert response.status_code == 200
    assert "snapshots/reference.html" in [template.name for template in response.templates]
    assert read_markup(response).one("h1").text == "Footnote API, version 1"

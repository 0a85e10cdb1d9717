"""The API asked for whatever its own document allows and forbids: it answers as the document says, and never fails.

Requests are made from the document that is written down, sent to the site as its web server would, and are the same in each run.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from uuid import uuid4

import pytest
import schemathesis
from django.test import Client
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.config import CoveragePhaseConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from reviewers.accounts.models import Role, Scope, TokenScope
from reviewers.web.tenancy import tenant
from reviewers.wsgi import application
from tests.accounts.tokens import token_of
from tests.api.sending import post, program_of
from tests.factories import make_key, make_member, make_organisation, make_record
from tests.snapshots.otlp.tracing import PROTOBUF, request_of, span
from tests.snapshots.schemas import schema_text
from tests.snapshots.trust_tables import RULES
from tests.web.endpoints import ENDPOINTS

_WRITTEN_DOWN = json.loads((Path(__file__).parent / "openapi.json").read_text(encoding="utf-8"))
_LINES = "application/x-ndjson"
_SCOPE_OF = {
    operation: ENDPOINTS[operation.rpartition("api_")[2]][0]
    for operation in (each["operationId"] for methods in _WRITTEN_DOWN["paths"].values() for each in methods.values())
}

_TOKENS = ((TokenScope.READ,), (TokenScope.READ, TokenScope.LABEL))
"""The scopes of tokens that read and that label. A scope to read is the same word for tokens and for keys."""
_METHODS = ("get", "head", "options", "post", "put", "patch", "delete", "trace", "connect", "propfind", "undocumented")
OTHER_METHODS = [(path, method) for path, known in _WRITTEN_DOWN["paths"].items() for method in _METHODS if method not in known]


def read_document():
    """The document, sent to the site itself. What it asks for is generated anew for each."""
    document = schemathesis.openapi.from_dict(_WRITTEN_DOWN)
    document.app = application
    document.config.checks.negative_data_rejection.expected_statuses.append("413")  # too many entries may be too many bytes
    return document


def examples(most):
    """So many generated requests of each operation, besides those that try each limit in the document once."""
    return settings(
        max_examples=most,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


DOCUMENT = read_document()
WITHOUT_LIMITS = read_document()
WITHOUT_LIMITS.config.phases.coverage = CoveragePhaseConfig(enabled=False)

_numbers = itertools.count(1)
_some_line = st.one_of(
    st.builds(lambda number: json.dumps(make_record(id=f"line-{number}")), st.integers(0, 9)),
    st.sampled_from(["", "{", "[]", '{"id": 1}', '{"id": 1, "id": 2}', '{"id": "x", "response": "", "context": {"a": NaN}}']),
    st.text(),
)
_some_spans = st.one_of(
    st.builds(
        lambda number: request_of(span({"output.value": "Yes."}, trace_id=bytes([number]) * 16)).SerializeToString(), st.integers(1, 9)
    ),
    st.binary(max_size=50),
)
schemathesis.openapi.media_type(PROTOBUF, _some_spans)
schemathesis.openapi.media_type(_LINES, st.lists(_some_line, max_size=5).map("\n".join).filter(str.strip).map(str.encode))


@pytest.fixture(scope="module")
def organisation(committed_for_module):
    return make_organisation()


@pytest.fixture(scope="module")
def ids(organisation):
    """The identifiers of what there is, by the parameter of the path."""
    program = program_of(organisation)
    schema = program.post("/api/v1/schemas", schema_text(), content_type="application/json")
    table = program.post("/api/v1/trust-tables", RULES, content_type="text/plain")
    snapshot = post(program, make_record()).json()["id"]
    ids = {"snapshot_id": snapshot, "item_id": snapshot, "schema_id": schema.json()["id"], "table_id": table.json()["id"]}
    return ids | {"flag_id": str(uuid4())}


@pytest.fixture(scope="module")
def headers_of(organisation):
    """Return the headers of programs with one scope, with all scopes, with a member's token, and without a key."""
    keys = {scopes: make_key(organisation, *scopes) for scopes in [*((scope,) for scope in Scope), tuple(Scope)]}
    with tenant.within(organisation.pk):
        member = make_member(organisation, Role.LEAD)
        keys |= {scopes: token_of(member, scopes[-1])[1] for scopes in _TOKENS}
    return {(): {}} | {scopes: {"Authorization": f"Bearer {key}"} for scopes, key in keys.items()}


def ask(case, headers, ids):
    """The answer. Every second address of a snapshot or schema is that of the one there is, and records have names of their own."""
    for parameter, there in ids.items():
        asked = case.path_parameters.get(parameter) if case.path_parameters else None
        if isinstance(asked, str) and len(asked) == len(there) and int(asked[-1], 16) % 2:
            case.path_parameters[parameter] = there
    name = case.body.get("id") if isinstance(case.body, dict) and not is_of_member(case) else None
    if isinstance(name, str) and 0 < len(name) < 190:
        case.body["id"] = f"{name}{next(_numbers)}"
    return case.call(headers=headers)


def check(case, headers_of, ids):
    headers = headers_of[_TOKENS[-1] if is_of_member(case) else tuple(Scope)]
    answer = ask(case, headers, ids)

    assert answer.status_code < 500
    case.validate_response(answer, headers=headers, excluded_checks=unsaid(case))


def is_of_member(case):
    """Return True for an act of a member, who names it by an identifier and what is in the item by its number or words."""
    return isinstance(_SCOPE_OF[case.operation.definition.raw["operationId"]], TokenScope)


def is_blocking_of_fields(case):
    """Return True for an instruction that asks for what is only for citations of documents: one parameter depends on another."""
    query, name = case.query or {}, case.operation.definition.raw["operationId"]
    return name.endswith("get_instruction") and "blocking" in query and query.get("grammar", "fields") in ("fields", "field_citations")


def unsaid(case):
    """Checks of what the document does not say: the form of a text, which parameters go together, and an unread one is left alone."""
    operation = case.operation
    is_text = operation.definition.raw["operationId"].endswith(("post_schema", "post_trust_table"))
    if is_text or (operation.body and is_of_member(case)) or is_blocking_of_fields(case):
        return [positive_data_acceptance]
    is_only_asked = not operation.body and not case.path_parameters
    return [negative_data_rejection] if is_only_asked and set(case.query or ()) - {each.name for each in operation.query} else []


@DOCUMENT.parametrize()
@examples(10)
def test_each_operation_answers_as_the_document_says(case, headers_of, ids):
    check(case, headers_of, ids)


@pytest.mark.exhaustive
@WITHOUT_LIMITS.parametrize()
@examples(500)
def test_each_operation_answers_as_the_document_says_thousands_of_times(case, headers_of, ids):
    check(case, headers_of, ids)


def check_opens_nothing(case, headers_of, ids):
    """With no key, and with each that lacks the scope."""
    needed = _SCOPE_OF[case.operation.definition.raw["operationId"]]
    for scopes, headers in headers_of.items():
        if needed not in scopes:
            answer = ask(case, headers, ids)

            assert answer.status_code in ({401, 403} if scopes else {401})  # some requests leave the key out on purpose
            case.validate_response(answer, headers=headers)


@WITHOUT_LIMITS.parametrize()
@examples(5)
def test_no_other_key_opens_anything(case, headers_of, ids):
    check_opens_nothing(case, headers_of, ids)


@pytest.mark.exhaustive
@WITHOUT_LIMITS.parametrize()
@examples(200)
def test_no_other_key_opens_anything_thousands_of_times(case, headers_of, ids):
    check_opens_nothing(case, headers_of, ids)


@pytest.mark.parametrize(("path", "method"), OTHER_METHODS)
def test_no_other_method_is_answered_whatever_the_key(path, method, headers_of, ids):
    address = path.format(**ids)
    for headers in headers_of.values():
        answer = Client(headers=headers).generic(method.upper(), address, json.dumps(make_record()), content_type="application/json")

        assert answer.status_code == 405
        assert {each.strip().lower() for each in answer["Allow"].split(",")} == set(_WRITTEN_DOWN["paths"][path])

"""De-identified reports: nothing that the record holds as an identifier leaks, and what is left is still evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.accounts.models import Role
from reviewers.reports.disclosure.identifiers import Replacer
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.bundle.verifier.main import verify, words
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from tests.factories import make_item, make_member, make_organisation, sign_in
from tests.protected_text.canaries import file_of, make_reviewed
from tests.reports.exporting.made import lines, make_bundle, make_export, report_of
from tests.review.deciding.cases import REASON, decide_all, make_conflict
from tests.sampling import sampled

CANARIES = (
    *("zanzibar", "timbuktu", "ulaanbaatar", "Rosalind", "Featherstone", "Thistle", "555-0199", "rosalind@", "mrn-771", "1987-06-05"),
    *("June 5", "2026-03-03", "2026-03-04", "Quixote", "Petronella", "flugelhorn", "bandoneon", "clavichord", "12 Larch", "90210"),
    *("203.0.113", "a trombone", "www.family", "078-05-1120", "94 years"),
)

RECORD: Mapping[str, Any] = {
    "client_reference": "client-zanzibar",
    "conversation_id": "talk-timbuktu",
    "provider": "Dr. Ines Quixote",
    "user_text": "I am Rosalind Featherstone, born June 5, 1987. Call (555) 555-0199 or rosalind@example.org. My mother is 94 years old.",
    "response": (
        "Rosalind, your risk is elevated [[SF:risk_level]]. Dr. Quixote can see you on 2026-03-04, the fit is 85% [[TF:fit_score]]. "
        "She takes new clients near 12 Larch Street, CA 90210. See www.family.example/rosalind and ask Thistle, 078-05-1120, 203.0.113.9."
    ),
    "context": {
        "safety": {"risk_level": "elevated", "summary": "ROSALIND   FEATHERSTONE asked for talk-timbuktu and Mrs. Thistle."},
        "patient_context": {
            "full_name": "Rosalind Featherstone",
            "date_of_birth": "1987-06-05",
            "age": 94,
            "phone": "555-555-0199",
            "mrn": "mrn-771",
            "address": {"line": "12 Larch Street", "zip": "90210"},
            "emergency_contact": [{"who": "Mrs. Thistle", "since": "2026-03-03"}],
            "plan_name": "Silver",
        },
        "provider_genome": {"provider_name": "Dr. Ines Quixote", "accepting_new": True},
        "therapeutic_fit": {"fit_score": 0.85},
    },
    "documents": [{"id": "notes", "title": "Notes on Featherstone", "url": "https://www.family.example/x", "content": "She said so."}],
}


@pytest.fixture(scope="module")
def reviewed(committed_for_module):
    organisation = make_organisation()
    return make_reviewed(organisation, **RECORD), make_member(organisation, Role.AUDITOR, "Audra Ashe")


def scope_of(item) -> ReportScope:
    return ReportScope(ScopeKind.CONVERSATION, item.pk, all_fields=True, profile=DisclosureProfile.DEIDENTIFIED)


@pytest.mark.parametrize("form", sampled(sorted(FORMATS), more=5))
def test_nothing_identifying_leaks_in_any_format(reviewed, form):
    item, auditor = reviewed
    text = file_of(auditor, form, scope_of(item)).lower()

    assert [word for word in (*CANARIES, str(item.pk), item.snapshot.digest.hex()) if word.lower() in text] == []


def test_what_is_found_and_said_is_still_there_and_spans_are_those_of_the_new_text(reviewed):
    item, auditor = reviewed
    (full,), (told,) = (
        report_of(auditor, scope).answers for scope in (ReportScope(ScopeKind.ITEM, item.pk, all_fields=True), scope_of(item))
    )

    for name in ("footnote", "track", "method", "rule", "score", "confidence", "type"):
        assert [getattr(row, name) for row in told.rows] == [getattr(row, name) for row in full.rows]
    assert [[said.verdict for said in row.said] for row in told.rows] == [[said.verdict for said in row.said] for row in full.rows]
    assert [note.footnote for note in told.notes] == [note.footnote for note in full.notes]
    for excerpt in [each for row in told.rows for each in (*row.spans, *row.claims)]:
        assert told.text[excerpt.start : excerpt.end] == excerpt.text
    assert told.text[: told.notes[0].position].endswith("your risk is elevated")
    values = {row.path: row.value for row in told.rows}
    assert (values["risk_level"], values["fit_score"], values["accepting_new"], values["plan_name"]) == ("elevated", 0.85, True, "Silver")
    assert (values["age"], values["date_of_birth"]) == ("90 or more", "1987")
    assert told.answered_at.startswith("2026-01-01")


def test_decisions_are_told_without_who_decided_and_why(organisation, auditor):
    case, lead = make_conflict(organisation), make_member(organisation, Role.LEAD, "Leda Lund")
    decide_all(case, lead)
    scopes = [ReportScope(ScopeKind.ITEM, case.pk, profile=profile) for profile in (DisclosureProfile.FULL, DisclosureProfile.DEIDENTIFIED)]

    full, told = (report_of(auditor, scope).answers[0].decisions for scope in scopes)

    assert [(each.outcome, each.verdict, each.kind) for each in told] == [(each.outcome, each.verdict, each.kind) for each in full]
    assert {(each.by, each.reason) for each in full if each.id} == {("Leda Lund", REASON)}
    assert {each.reason for each in told} == {""}
    text = file_of(auditor, "jsonl", scopes[1])
    assert [word for word in ("Leda", "Lund", REASON, str(full[0].id)) if word in text] == []


def test_the_same_name_has_the_same_code_throughout_and_another_elsewhere(reviewed):
    item, auditor = reviewed
    (told,) = report_of(auditor, scope_of(item)).answers
    other = make_member(make_organisation("Elsewhere Clinic"), Role.AUDITOR)

    assert told.provider.startswith("provider-")
    assert told.provider in told.text
    assert report_of(auditor, scope_of(item)).answers[0].client == told.client
    assert file_of(auditor, "jsonl", scope_of(item)) == file_of(auditor, "jsonl", scope_of(item))
    assert told.client not in file_of(other, "jsonl", ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.DEIDENTIFIED))


def test_a_file_says_what_was_done_and_what_is_not_promised(reviewed):
    item, auditor = reviewed

    head = lines(file_of(auditor, "jsonl", scope_of(item)).encode())[0]

    assert head["title"] == "De-identified report"
    assert "not a determination under 45 CFR 164.514(b)" in head["reading"]
    assert "not a determination under 45 CFR 164.514(b)" in file_of(auditor, "html", scope_of(item))


def test_a_bundle_of_it_holds_and_says_what_it_does_not_show(reviewed, tmp_path):
    item, auditor = reviewed
    file = tmp_path / "bundle.zip"
    file.write_bytes(make_bundle(auditor, scope_of(item)))

    found = verify(str(file))

    assert (found.is_deidentified, found.events, found.answers) == (True, 1, 1)
    assert "The report is de-identified" in "\n".join(words(found, is_trusted=False))


def test_it_is_chosen_on_the_form_and_kept_with_the_export(organisation, auditor):
    make_item(organisation)

    form = {"kind": "period", "form": "jsonl", "reason": "research", "profile": "deidentified"}
    page = sign_in(auditor).post("/exports/create/", form, follow=True).content.decode()

    assert "De-identified" in page


def test_the_list_of_disclosures_knows_which_answers_were_in_it_whatever_the_file_calls_them(organisation, auditor):
    item = make_item(organisation)

    for form in ("jsonl", "pdf"):
        export = make_export(auditor, form, ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.DEIDENTIFIED))
        assert export.result.snapshots == [str(item.pk)]


def test_a_stored_export_knows_its_profile(organisation, auditor):
    make_item(organisation)

    assert (
        make_export(auditor, scope=ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.DEIDENTIFIED)).scope["profile"] == "deidentified"
    )
    assert "profile" not in make_export(auditor).scope


ALPHABET = "ab Ada \u00e9\u0130\U0001f600,.5-/@"


@given(st.text(alphabet=ALPHABET, max_size=60), st.lists(st.sampled_from(["ada", "a b", "\u00e9", "5"]), max_size=3))
@settings(max_examples=300, deadline=None)
def test_places_are_carried_over_whatever_the_text(text, known):
    replaced = Replacer({each: f"[{number}]" for number, each in enumerate(known)}).replace(text)

    places = [replaced.place(position) for position in range(len(text) + 1)]
    assert places == sorted(places)
    assert places[-1] == len(replaced.text)
    untouched = [position for position in range(len(text)) if not any(start <= position < end for start, end in replaced.befores)]
    for position in untouched:
        start, end = replaced.span(position, position + 1)
        assert replaced.text[start:end] == text[position]

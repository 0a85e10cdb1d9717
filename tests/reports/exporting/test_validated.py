"""Reports of every kind are PDF/A-3a and PDF/UA-1 as veraPDF checks them; broken ones are not.

This takes half a minute: hundreds of rules are looked at for each character of each file, by a program that is compiled first.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import NameObject

from reviewers.accounts.models import Membership, Role
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.web.tenancy import tenant
from tests.calibration.labelled import CONTEXT, RESPONSE, make_active
from tests.factories import BOTH, CITED, make_item, make_member, make_organisation
from tests.ledger.sealed import seal_now
from tests.reports.exporting.conformance import PROFILES, Key, Verdict, check, why_not
from tests.reports.exporting.made import make_volumes, of_item, written
from tests.reports.exporting.test_printed import TEXTS
from tests.reports.test_hostile_text import make_hostile
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import lead_and_administrator, make_redactable, names_of, redact
from tests.review.signed import make_signed
from tests.review.test_hostile_text import INVISIBLE, TAGS

pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(bool(why_not()), reason=why_not() or "nothing")]

LEAST_CHECKS = 1_000
"""A check is one rule at one place: the shortest report has many more."""


def a_message(by: Membership) -> bytes:
    item = make_signed(make_member(by.organisation)).review.snapshot_id
    seal_now(by.organisation_id)
    return written(by, "pdf", of_item(item, all_fields=True))


def a_conversation(by: Membership) -> bytes:
    first, *_ = [make_item(by.organisation, turn_index=number, **CITED if number == 2 else {}) for number in (1, 2, 3)]
    return written(by, "pdf", ReportScope(ScopeKind.CONVERSATION, first.pk))


def a_plan_in_dispute(by: Membership) -> bytes:
    item = make_conflict(by.organisation, note="no\n\tnot at all")
    decide_all(item, make_member(by.organisation, Role.LEAD, "Leda Lund"))
    return written(by, "pdf", ReportScope(ScopeKind.PLAN, item.plan_id))


def a_picture(by: Membership) -> bytes:
    lead, other = (make_member(by.organisation, Role.LEAD, name) for name in ("Leda Lund", "Other Lead"))
    seen = make_active(lead, other, make_member(by.organisation)).combination
    record = {"response": RESPONSE, "context": CONTEXT, "model": seen.model, "prompt_version": seen.prompt_version}
    return written(by, "pdf", of_item(make_item(by.organisation, **record).pk))


def nothing(by: Membership) -> bytes:
    return written(by, "pdf")


def a_masked_one(by: Membership) -> bytes:
    make_signed(make_member(by.organisation))
    return written(by, "pdf", ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.MASKED))


def a_deidentified_one(by: Membership) -> bytes:
    make_signed(make_member(by.organisation))
    return written(by, "pdf", ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.DEIDENTIFIED))


def a_withheld_one(by: Membership) -> bytes:
    item = make_item(by.organisation, **BOTH)
    run_blind(make_member(by.organisation, Role.LEAD))
    review(item, make_member(by.organisation, name="Una Ulm"))
    return written(make_member(by.organisation), "pdf", of_item(item.pk))


def a_redacted_one(by: Membership) -> bytes:
    reviewer = make_member(by.organisation)
    item = make_redactable(reviewer)
    lead, administrator = lead_and_administrator(reviewer)
    redact(item, names_of(item, lead), lead, administrator)
    return written(by, "pdf", of_item(item.pk))


def other_scripts(by: Membership) -> bytes:
    told = "\n".join(TEXTS)
    make_item(by.organisation, user_text=told, response=f"{told} [[SF:risk_level]]", context={"safety": {"risk_level": told}})
    return written(by, "pdf")


def hostile_markup(by: Membership) -> bytes:
    make_hostile(by.organisation, TAGS)
    return written(by, "pdf")


def invisible_characters(by: Membership) -> bytes:
    make_hostile(by.organisation, INVISIBLE)
    return written(by, "pdf")


def empty_texts(by: Membership) -> bytes:
    make_item(by.organisation, user_text="", response="", context={})
    make_item(by.organisation, user_text=" \n\n ", response="\n", context={"a": {"b": ""}})
    return written(by, "pdf")


def a_volume(by: Membership) -> bytes:
    return _in_volumes(by)[1]


def the_contents_of_volumes(by: Membership) -> bytes:
    return _in_volumes(by)[0]


def _in_volumes(by: Membership) -> list[bytes]:
    for _ in range(3):
        make_item(by.organisation, **BOTH)
    seal_now(by.organisation_id)
    with zipfile.ZipFile(io.BytesIO(make_volumes(by))) as archive:
        return [archive.read(name) for name in archive.namelist()]


KINDS: tuple[Callable[[Membership], bytes], ...] = (
    *(a_message, a_conversation, a_plan_in_dispute, a_picture, nothing, a_masked_one, a_deidentified_one, a_withheld_one),
    *(a_redacted_one, other_scripts, hostile_markup, invisible_characters, empty_texts, a_volume, the_contents_of_volumes),
)


def says_another_part(writer: pypdf.PdfWriter) -> None:
    stream = writer.root_object["/Metadata"].get_object()
    stream.set_data(stream.get_data().replace(b"<pdfaid:part>3<", b"<pdfaid:part>2<").replace(b"<pdfuaid:part>1<", b"<pdfuaid:part>7<"))


def without_tags(writer: pypdf.PdfWriter) -> None:
    del writer.root_object["/StructTreeRoot"]


def without_fonts(writer: pypdf.PdfWriter) -> None:
    for each in writer._objects:
        if isinstance(each, dict) and "/FontFile3" in each:
            del each[NameObject("/FontFile3")]


BREAKS: Mapping[Callable[[pypdf.PdfWriter], None], Mapping[str, str]] = {
    says_another_part: {"3a": 'The value of "pdfaid:part"', "ua1": 'The value of "pdfuaid:part"'},
    without_tags: {"3a": "logical structure", "ua1": "Content shall be marked as Artifact or tagged"},
    without_fonts: {"3a": "font programs", "ua1": "font programs"},
}


def broken(content: bytes, change: Callable[[pypdf.PdfWriter], None]) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
    change(writer)
    with io.BytesIO() as file:
        writer.write(file)
        return file.getvalue()


@pytest.fixture(scope="module")
def verdicts(one_transaction, tmp_path_factory) -> Mapping[Key, Verdict]:
    folder = tmp_path_factory.mktemp("reports")
    contents = {each.__name__: _made(each) for each in KINDS}
    contents |= {each.__name__: broken(contents["nothing"], each) for each in BREAKS}
    return check([_kept(folder / f"{name}.pdf", content) for name, content in contents.items()])


def _made(kind: Callable[[Membership], bytes]) -> bytes:
    organisation = make_organisation()
    with tenant.within(organisation.pk):
        return kind(make_member(organisation, Role.AUDITOR, "Audra Ashe"))


def _kept(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", [each.__name__ for each in KINDS])
@pytest.mark.parametrize("profile", PROFILES)
def test_each_kind_of_report_keeps_both_standards(verdicts, kind, profile):
    verdict = verdicts[kind, profile]

    assert verdict.failures == ()
    assert (verdict.failed, verdict.checks > LEAST_CHECKS, verdict.rules > 100) == (0, True, True)


@pytest.mark.parametrize("change", BREAKS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_report_that_is_broken_is_found_out(verdicts, change, profile):
    verdict = verdicts[change.__name__, profile]

    assert verdict.failed > 0
    assert any(BREAKS[change][profile] in each for each in verdict.failures), verdict.failures

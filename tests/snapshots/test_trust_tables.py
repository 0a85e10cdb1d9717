"""Tables of trust: written as text, compared, approved by two people, and used for the answers that come in afterwards."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.utils import IntegrityError

from attribution import DEFAULT_PROFILE, LARGEST_TABLE, TrustTableError, read_profile, read_trust_table
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots.models import Snapshot, SnapshotDocuments, TrustDecision, TrustProposal, TrustTable
from reviewers.snapshots.reattribution import attribute_again
from reviewers.snapshots.redaction import work_on_snapshot
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.trust import TRUST_TABLES, compare_tables
from tests.api.sending import program_of
from tests.factories import NOW, make_item, make_member, make_organisation, prove, sign_in
from tests.ledger.sealed import seal_now
from tests.snapshots.trust_tables import RULES, approve_table, make_table, write_table

pytestmark = pytest.mark.django_db

TURN = {
    "response": "Rest helps [1]. Rest helps [2]. Rest helps [3].",
    "context": {},
    "documents": [
        {"source_id": "a", "url": "https://www.guild.example/1", "content": "Rest helps."},
        {"source_id": "b", "url": "https://www.fda.gov/2", "content": "Rest helps."},
        {"source_id": "c", "url": "https://www.who.int/3", "content": "Rest helps."},
    ],
}


def documents_of(item) -> SnapshotDocuments:
    return SnapshotDocuments.objects.get(attribution=item.attribution_id)


def levels(row: SnapshotDocuments) -> list[tuple[int, str]]:
    trust = [each["trust"] for each in json.loads(zlib.decompress(bytes(row.document)))["sources"]]
    return [(each["tier"], each.get("table", "")) for each in trust]


BUILT_IN = [(0, ""), (1, ""), (1, "")]
OWN = [(1, "version 1"), (3, "version 1"), (1, "")]


def test_answers_after_the_approval_are_judged_under_the_version(organisation):
    before = make_item(organisation, **TURN)
    table = make_table(organisation)
    proposed = make_item(organisation, **TURN)
    actions.approve(TRUST_TABLES, version_id=table.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=1))
    after = make_item(organisation, **TURN)

    assert [levels(documents_of(each)) for each in (before, proposed, after)] == [BUILT_IN, BUILT_IN, OWN]
    assert [documents_of(each).trust_table_id for each in (before, proposed, after)] == [None, None, table.pk]


def test_the_table_of_another_organisation_is_not_used(organisation):
    approve_table(make_organisation("Elsewhere Clinic"))

    assert levels(documents_of(make_item(organisation, **TURN))) == BUILT_IN


def test_an_answer_that_is_attributed_again_keeps_its_table(organisation):
    before = make_item(organisation, **TURN)
    first = approve_table(organisation)
    after = make_item(organisation, **TURN)
    approve_table(organisation, "# none of our own", hours=2)

    again = attribute_again(
        snapshots=Snapshot.objects.filter(pk__in=[before.pk, after.pk]),
        profile=read_profile(DEFAULT_PROFILE.data | {"name": "another"}),
        organisation=organisation,
        at=NOW,
    )

    rows = [SnapshotDocuments.objects.get(attribution=again[each.pk]) for each in (before, after)]
    assert [levels(row) for row in rows] == [BUILT_IN, OWN]
    assert [row.trust_table_id for row in rows] == [None, first.pk]


def test_a_redaction_derives_the_levels_of_the_same_version_again(organisation):
    approve_table(organisation)
    item = make_item(organisation, **TURN)
    approve_table(organisation, "# none of our own", hours=2)

    change = next(each for each in work_on_snapshot(item.snapshot, ["user_text"]).changes if each.model is SnapshotDocuments)

    assert bytes(change.values["document"]) == bytes(documents_of(item).document)


def test_the_ledger_vouches_for_tables_and_what_was_judged_under_them(organisation):
    approve_table(organisation)
    make_item(organisation, **TURN)
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)

    told = AuditEvent.objects.filter(action__startswith="trust_table.").order_by("id").values_list("action", flat=True)
    assert list(told) == ["trust_table.written", "trust_table.proposed", "trust_table.approved"]


def test_the_same_text_is_one_version(organisation):
    lead = make_member(organisation, "lead")
    first = write_table(lead)

    assert write_table(lead, "\ufeff" + RULES.replace("\n", " \r\n") + "\r\n\r\n") == first
    assert write_table(lead, RULES + "who.int, 2, too general").number == 2
    assert write_table(make_member(make_organisation("Elsewhere Clinic"), "lead")).number == 1
    assert AuditEvent.objects.filter(action="trust_table.written", organisation_id=organisation.pk).count() == 2


def test_what_cannot_be_used_is_not_stored(organisation):
    with pytest.raises(TrustTableError, match="line 2: ‘9’ is no level"):
        actions.write(TRUST_TABLES, content=b"# ours\nguild.example, 9, far away", by=make_member(organisation, "lead"), now=NOW)

    assert not TrustTable.objects.exists()


def test_versions_that_nobody_proposes_are_bounded(organisation, monkeypatch):
    monkeypatch.setattr(actions, "MOST_WAITING", 2)
    lead = make_member(organisation, "lead")
    for number in range(2):
        write_table(lead, f"# {number}")

    response = sign_in(lead).post("/settings/trust/write/", {"text": "# 3"})

    assert (response.status_code, "versions that nobody has proposed" in response.content.decode()) == (409, True)


def test_nobody_approves_their_own_proposal(organisation):
    table = make_table(organisation)
    own = table.proposals.get().proposed_by.memberships.get()

    with pytest.raises(Refused, match="You proposed this"):
        actions.approve(TRUST_TABLES, version_id=table.pk, by=own, now=NOW + timedelta(hours=1))


def test_the_database_lets_nobody_approve_alone(organisation):
    proposal = make_table(organisation).proposals.get()
    row = {"organisation": organisation, "proposal": proposal, "version": proposal.version, "decided_at": NOW, "outcome": "approved"}

    for who in (proposal.proposed_by, make_member(make_organisation("Elsewhere Clinic"), "lead").user):
        with pytest.raises(IntegrityError), transaction.atomic():
            TrustDecision.objects.create(**row, proposed_by=proposal.proposed_by, decided_by=who)


def test_the_database_refuses_an_answer_under_a_table_that_nobody_approved(organisation):
    row = documents_of(make_item(organisation, **TURN))
    row.pk, row.trust_table = None, make_table(organisation)

    with pytest.raises(IntegrityError, match="the table of trust of an answer is approved first"), transaction.atomic():
        row.save(force_insert=True)


def test_the_database_refuses_a_proposal_of_another_organisations_table(organisation):
    table = make_table(make_organisation("Elsewhere Clinic"))
    lead = make_member(organisation, "lead")

    with pytest.raises(IntegrityError, match="trust_proposal_is_of_its_organisation"), transaction.atomic():
        TrustProposal.objects.create(organisation=organisation, version=table, proposed_by=lead.user, proposed_at=NOW)


def test_an_approval_replaces_what_the_proposer_saw(organisation):
    first, second = make_table(organisation), make_table(organisation, "# none")
    lead = make_member(organisation, "lead")
    actions.approve(TRUST_TABLES, version_id=first.pk, by=lead, now=NOW + timedelta(hours=1))

    with pytest.raises(Refused, match="Another version came into use since this was proposed"):
        actions.approve(TRUST_TABLES, version_id=second.pk, by=lead, now=NOW + timedelta(hours=2))


def test_an_earlier_version_can_come_back(organisation):
    first = approve_table(organisation)
    approve_table(organisation, "# none", hours=2)
    lead = make_member(organisation, "lead")
    actions.propose(TRUST_TABLES, version_id=first.pk, by=lead, now=NOW + timedelta(hours=3))
    actions.approve(TRUST_TABLES, version_id=first.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=4))

    assert [each.state for each in queries.list_versions(TRUST_TABLES, organisation)] == ["used before", "in use"]
    with pytest.raises(Refused, match="in use already"):
        actions.propose(TRUST_TABLES, version_id=first.pk, by=lead, now=NOW + timedelta(hours=5))


def test_a_declined_version_can_be_proposed_again(organisation):
    table, lead = make_table(organisation), make_member(organisation, "lead")
    assert actions.decline(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW).outcome == "declined"

    actions.propose(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)
    with pytest.raises(Refused, match="has proposed this version already"):
        actions.propose(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)

    assert actions.decline(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW).outcome == "withdrawn"
    with pytest.raises(Refused, match="Nobody has proposed this version"):
        actions.decline(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)


def test_a_version_is_compared_with_the_one_that_it_replaces(organisation):
    first = approve_table(organisation)
    second = approve_table(organisation, "# none", hours=2)
    third = make_table(organisation, "# other")
    fourth = make_table(organisation, "# more", is_proposed=False)
    actions.approve(TRUST_TABLES, version_id=third.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=3))
    found = [queries.find_version(TRUST_TABLES, organisation, each.pk) for each in (first, second, third, fourth)]

    bases = [queries.find_base(each, organisation) for each in found]
    assert [each and int(each.label) for each in bases] == [None, 1, 2, 3]


def test_a_difference_is_told_in_words():
    old, new = (
        read_trust_table(text.encode())
        for text in (RULES + "who.int, 2, too general", "# new\nfda.gov, unknown, read with care\nPubMed, 1, ours\nwho.int, 2, general")
    )

    assert [(each.kind, each.subject, list(each.words)) for each in compare_tables(old, new)] == [
        ("added", "PubMed", ["tier 1, regulator or primary research, as built in", "reason: ours"]),
        ("changed", "fda.gov", ["tier 3, guideline or review → unknown"]),
        ("changed", "who.int", ["reason: too general → general"]),
        ("removed", "guild.example", ["tier 1, regulator or primary research → unknown, as built in"]),
    ]


def test_two_leads_bring_a_version_into_use_by_its_pages(organisation):
    lead, other = make_member(organisation, "lead"), make_member(organisation, "lead")
    client, second = sign_in(lead), sign_in(other)
    assert "In use: the built-in table alone." in client.get("/settings/trust/").content.decode()

    page = client.post("/settings/trust/write/", {"text": RULES})["Location"]
    assert "Propose this version" in client.get(page).content.decode()
    assert prove(client, lead, Purpose.TRUST).post(f"{page}propose/").status_code == 302
    assert "so another lead has to approve it" in client.get(page).content.decode()
    assert prove(second, other, Purpose.TRUST).post(f"{page}approve/").status_code == 302

    shown = second.get(page).content.decode()
    assert "In use" in shown
    assert "tier 3, guideline or review; built in: tier 1, regulator or primary research" in shown
    assert second.get(f"{page}download/").content.decode() == RULES
    listed = second.get("/settings/trust/").content.decode()
    assert "your version 1</a>, with" in listed
    assert "guild.example, 1, our own handbook" in listed


def test_a_page_lists_everything_that_is_wrong_and_keeps_the_text(organisation):
    client = sign_in(make_member(organisation, "lead"))

    response = client.post("/settings/trust/write/", {"text": "guild.example, 9, far\n<b>, 1\n"})

    shown = response.content.decode()
    assert response.status_code == 422
    assert "<b>Line 1:</b>" in shown
    assert "<b>Line 2:</b>" in shown
    assert "&lt;b&gt;, 1" in shown
    assert "Nothing was stored." in shown


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a" * (LARGEST_TABLE + 5), b"", b"a.example, 1, \0"])
def test_a_file_that_is_no_table_is_refused(organisation, content):
    client = sign_in(make_member(organisation, "lead"))

    response = client.post("/settings/trust/write/", {"text": "", "file": SimpleUploadedFile("t.txt", content)})

    assert (response.status_code, "Nothing was stored." in response.content.decode()) == (422, True)


def test_a_table_is_as_large_as_what_is_stored_of_it(organisation):
    largest = "# ours".ljust(LARGEST_TABLE - 1, "x")

    with pytest.raises(TrustTableError, match="larger than 256 KB"):
        write_table(make_member(organisation, "lead"), f"{largest}x")

    table = approve_table(organisation, largest)
    assert sign_in(make_member(organisation, "lead")).get(f"/settings/trust/{table.pk}/").status_code == 200
    assert levels(documents_of(make_item(organisation, **TURN))) == BUILT_IN


def test_a_file_that_is_not_taken_is_not_replaced_by_the_text(organisation):
    client = sign_in(make_member(organisation, "lead"))

    response = client.post("/settings/trust/write/", {"text": RULES, "file": SimpleUploadedFile("t" * 201, b"# ours")})

    assert (response.status_code, "at most 200 characters" in response.content.decode()) == (422, True)
    assert not TrustTable.objects.exists()


def test_a_file_goes_before_the_text(organisation):
    client = sign_in(make_member(organisation, "lead"))

    client.post("/settings/trust/write/", {"text": "# kept", "file": SimpleUploadedFile("t.txt", RULES.encode())})

    assert bytes(TrustTable.objects.get().document).decode() == RULES


def test_an_auditor_reads_versions_and_decides_nothing(organisation):
    table = make_table(organisation)
    client = sign_in(make_member(organisation, "auditor"))

    shown = client.get(f"/settings/trust/{table.pk}/").content.decode()

    assert "Proposed" in shown
    assert "<button" not in shown.partition("<main")[2]
    assert "Save as a version" not in client.get("/settings/trust/").content.decode()
    assert client.post(f"/settings/trust/{table.pk}/approve/").status_code == 403


def test_a_program_sends_and_reads_versions(organisation):
    api = program_of(organisation)
    sent = api.post("/api/v1/trust-tables", RULES, content_type="text/plain")
    again = api.post("/api/v1/trust-tables", RULES, content_type="text/plain")
    version = sent.json()

    assert (sent.status_code, again.status_code, again.json()) == (201, 200, version)
    assert (version["number"], version["rules"], version["state"], version["approved_at"]) == (1, 2, "written", None)
    assert api.get("/api/v1/trust-tables/versions").json() == {"versions": [version], "after": None}
    assert api.get(f"/api/v1/trust-tables/{version['id']}").json() == version | {"text": RULES}
    assert api.get(f"/api/v1/trust-tables/{organisation.pk}").status_code == 404
    assert program_of(make_organisation("Elsewhere Clinic")).get(f"/api/v1/trust-tables/{version['id']}").status_code == 404


def test_a_program_reads_all_versions_page_by_page(organisation):
    lead = make_member(organisation, "lead")
    for number in range(queries.PAGE + 1):
        write_table(lead, f"# {number}")
    make_table(make_organisation("Elsewhere Clinic"))
    api = program_of(organisation)

    first = api.get("/api/v1/trust-tables/versions").json()
    last = api.get(f"/api/v1/trust-tables/versions?after={first['after']}").json()

    assert [each["number"] for each in (*first["versions"], *last["versions"])] == list(range(queries.PAGE + 1, 0, -1))
    assert (len(last["versions"]), last["after"]) == (1, None)
    assert api.get("/api/v1/trust-tables/versions?after=x").status_code == 422


def test_a_program_is_told_all_that_is_wrong_with_its_line(organisation):
    response = program_of(organisation).post("/api/v1/trust-tables", "guild.example, 9, far\n<b>, 1\n", content_type="text/plain")

    told = response.json()
    assert (response.status_code, told["place"], [each["place"] for each in told["problems"]]) == (422, "line 1", ["line 1", "line 2"])
    assert "is no level" in told["reason"]
    assert not TrustTable.objects.exists()


def test_a_program_that_sends_very_many_is_refused(organisation, monkeypatch):
    monkeypatch.setattr(actions, "MOST_WAITING", 1)
    api = program_of(organisation)
    statuses = [api.post("/api/v1/trust-tables", f"# {number}", content_type="text/plain").status_code for number in range(2)]

    assert statuses == [201, 409]
    lead = sign_in(make_member(organisation, "lead"))
    assert lead.post("/settings/trust/write/", {"text": "# ours"}).status_code == 302, "no program keeps people from writing"
    assert program_of(organisation).post("/api/v1/trust-tables", "# another's", content_type="text/plain").status_code == 201


def test_what_a_program_sent_is_proposed_and_approved_by_people(organisation):
    key = program_of(organisation).post("/api/v1/trust-tables", RULES, content_type="text/plain").json()["id"]
    lead, other = make_member(organisation, "lead"), make_member(organisation, "lead")
    page = sign_in(lead).get(f"/settings/trust/{key}/").content.decode()
    assert "with the key runtime" in page

    actions.propose(TRUST_TABLES, version_id=key, by=lead, now=NOW)
    actions.approve(TRUST_TABLES, version_id=key, by=other, now=NOW + timedelta(hours=1))

    assert levels(documents_of(make_item(organisation, **TURN))) == OWN
    assert program_of(organisation).get(f"/api/v1/trust-tables/{key}").json()["state"] == "in use"


def test_the_page_of_an_answer_says_where_a_level_comes_from(organisation):
    approve_table(organisation)
    item = make_item(organisation, **TURN)

    shown = sign_in(make_member(organisation)).get(f"/items/{item.pk}/").content.decode()

    assert "your organisation’s table, version 1" in shown
    assert "built in" in shown
    assert "the organisation’s table, version 1, says: our own handbook" in shown

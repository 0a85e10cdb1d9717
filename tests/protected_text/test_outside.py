"""Auditors from outside: masks everywhere, lifted one by one with a reason, until a day."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import change_role, mark_external
from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import ExternalTerms, Refused
from reviewers.accounts.texts import Text
from reviewers.reports.exports.bundle.verifier.main import verify, words
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.review.models import Signature
from tests.accounts.mailing import link_in_mail
from tests.accounts.outside import make_external
from tests.events import events
from tests.factories import PASSWORD, make_member, sign_in
from tests.protected_text.canaries import CANARIES, file_of, make_reviewed
from tests.reports.exporting.made import make_bundle, make_export
from tests.web.endpoints import addresses


@pytest.fixture
def outsider(organisation) -> Membership:
    return make_external(organisation)


@pytest.fixture
def reviewed(organisation):
    return make_reviewed(organisation)


def kinds_in(page: str) -> set[str]:
    """The kinds of text that are in a page."""
    return {text.name for text, canaries in CANARIES.items() if any(word in page for word in canaries)}


def page_of(client: Client, item) -> str:
    return client.get(f"/items/{item.pk}/?unfound=1").content.decode()


def test_one_part_is_revealed_with_a_reason_and_the_rest_stays_masked(reviewed, outsider):
    client = sign_in(outsider)
    assert kinds_in(page_of(client, reviewed)) == {"NAMES"}

    client.post(f"/items/{reviewed.pk}/reveal/", {"text": "QUESTION", "reason": "the complaint of March"})

    assert kinds_in(page_of(client, reviewed)) == {"NAMES", "QUESTION"}
    (told,) = [event for event in events() if event["action"] == "text.revealed"]
    assert (told["object"]["id"], told["details"]) == (str(reviewed.pk), {"texts": ["question"]})
    assert kinds_in(page_of(sign_in(outsider), reviewed)) == {"NAMES"}, "it is revealed in one session"


@pytest.mark.parametrize("text", [text for text in Text if text is not Text.NAMES], ids=lambda text: text.name.lower())
def test_each_kind_is_revealed_alone(reviewed, outsider, text):
    client = sign_in(outsider)

    client.post(f"/items/{reviewed.pk}/reveal/", {"text": text.name, "reason": "the complaint of March"})

    assert kinds_in(page_of(client, reviewed)) == {"NAMES", text.name}


def test_what_was_revealed_and_why_stands_in_the_log_of_openings(reviewed, outsider, administrator):
    sign_in(outsider).post(f"/items/{reviewed.pk}/reveal/", {"text": "NOTES", "reason": "the complaint of March"})

    page = sign_in(administrator).get(f"/access/?record={reviewed.pk}").content.decode()

    assert "revealed masked text of" in page
    assert "the complaint of March" in page


def test_nothing_is_revealed_without_a_reason(reviewed, outsider):
    client = sign_in(outsider)

    page = client.post(f"/items/{reviewed.pk}/reveal/", {"text": "all", "reason": " "}, follow=True)

    assert "Nothing was revealed" in page.content.decode()
    assert kinds_in(page_of(client, reviewed)) == {"NAMES"}
    assert not [event for event in events() if event["action"] == "text.revealed"]


def test_all_of_it_opens_the_record_and_the_sheet_too(reviewed, outsider):
    client = sign_in(outsider)
    assert client.get(f"/items/{reviewed.pk}/record/").status_code == 403

    client.post(f"/items/{reviewed.pk}/reveal/", {"text": "all", "reason": "the complaint of March"})

    assert kinds_in(page_of(client, reviewed)) == {text.name for text in CANARIES}
    assert client.get(f"/items/{reviewed.pk}/record/").status_code == 200
    assert kinds_in(client.get(f"/why/{reviewed.pk}/").content.decode()) >= {"ANSWER", "CLIENT", "NOTES"}


def test_no_page_has_a_digest_of_what_is_masked_on_it(organisation, outsider, auditor):
    item = make_reviewed(organisation)
    (signature,) = Signature.objects.filter(review__snapshot=item.pk)
    digests = [bytes(each).hex() for each in (item.snapshot.digest, signature.digest)]

    def told(client, path):
        page = client.get(path.format(item.pk)).content.decode()
        return [digest in page for digest in digests]

    client = sign_in(outsider)
    for path in ("/items/{}/", "/why/{}/"):
        assert told(client, path) == [False, False]
    assert [told(sign_in(auditor), path) for path in ("/items/{}/", "/why/{}/")] == [[True, True], [True, False]]
    for text in Text:
        assert told(client, "/items/{}/") == [False, False], "one of all could be guessed"
        client.post(f"/items/{item.pk}/reveal/", {"text": text.name, "reason": "the sample of this year"})
    assert told(client, "/items/{}/") == [True, True]


def test_a_sheet_has_no_digest_of_its_record_while_the_question_alone_is_masked(organisation, outsider):
    item = make_reviewed(organisation)
    client, digest = sign_in(outsider), bytes(item.snapshot.digest).hex()

    def told(*texts):
        for text in texts:
            client.post(f"/items/{item.pk}/reveal/", {"text": text.name, "reason": "the complaint of March"})
        return digest in client.get(f"/why/{item.pk}/").content.decode()

    assert not told(*(text for text in Text if text not in (Text.NAMES, Text.QUESTION)))
    assert told(Text.QUESTION)


def test_no_page_has_the_digest_of_a_file_with_what_is_masked(reviewed, outsider, auditor):
    """Whoever has the masked file could fill in what is left, and see whether its digest is that of the other."""
    whole, masked = (make_export(member, scope=ReportScope(ScopeKind.ITEM, reviewed.pk)) for member in (auditor, outsider))

    def told(member, export):
        pages = [sign_in(member).get(path).content.decode() for path in ("/exports/", f"/exports/{export.pk}/")]
        return [bytes(export.result.digest).hex() in page for page in pages]

    assert told(auditor, whole) == told(outsider, masked) == [True, True]
    assert told(outsider, whole) == [False, False]


def test_a_mask_has_one_length_whatever_it_stands_for(organisation, outsider):
    client = sign_in(outsider)
    talks = [{"conversation_id": f"talk-{number}"} for number in range(2)]
    turns = [make_reviewed(organisation, id="short", user_text="a" * 3, **talks[0])]
    turns += [make_reviewed(organisation, id="long", user_text="a" * 5000, **talks[1])]
    after = [make_reviewed(organisation, id=f"after-{number}", **talk) for number, talk in enumerate(talks)]

    for short, long in (turns, after):
        assert abs(len(page_of(client, short)) - len(page_of(client, long))) < 100


def test_nobody_from_outside_searches_what_is_masked(outsider):
    paths = {f"/{address.route}" for address in addresses() if address.name.startswith("search")}
    assert {sign_in(outsider).post(each, {"words": "x", "client": "x"}).status_code for each in paths} == {403}


def test_words_of_a_search_from_before_find_nothing_more(reviewed, auditor):
    client = sign_in(auditor)
    found = client.post("/why/search/", {"words": "zanzibar"})["Location"]
    mark_external(member=auditor, outside=ExternalTerms("audit", timezone.now() + timedelta(days=1)), at=timezone.now(), by=SYSTEM)

    assert "zanzibar" not in client.get(found).content.decode()


def test_the_membership_ends_with_its_day(reviewed, outsider):
    client = sign_in(outsider)
    assert client.get("/queue/").status_code == 200

    Membership.objects.filter(pk=outsider.pk).update(external_until=timezone.now() - timedelta(seconds=1))

    assert client.get("/queue/").status_code == 403


def test_only_an_auditor_is_from_outside_and_stays_so(organisation, alice, outsider):
    now = timezone.now()
    with pytest.raises(Refused, match="Only an auditor"):
        mark_external(member=alice, outside=ExternalTerms("audit", now + timedelta(days=1)), at=now, by=SYSTEM)
    with pytest.raises(Refused, match="from outside"):
        change_role(member=outsider, role=Role.LEAD, at=now, by=SYSTEM)
    with pytest.raises(Refused, match="last day"):
        mark_external(member=make_member(organisation, Role.AUDITOR), outside=ExternalTerms("audit", now), at=now, by=SYSTEM)


def test_an_administrator_lets_somebody_in_from_outside(administrator):
    day = timezone.localdate() + timedelta(days=20)
    form = {"email": "otto@example.org", "role": "auditor", "reason": "the yearly audit", "until": f"{day}"}
    client = sign_in(administrator)

    client.post("/settings/members/invite/", form)
    chosen = {"name": "Otto Outer", "password1": PASSWORD, "password2": PASSWORD}
    Client().post(link_in_mail("invitation"), chosen)
    page = client.get("/settings/members/").content.decode()

    member = Membership.objects.get(user__email="otto@example.org")
    assert (member.is_external, member.external_reason) == (True, "the yearly audit")
    assert "From outside" in page
    assert [event["action"] for event in events()[-3:]] == ["member.added", "member.marked_external", "invitation.ended"]


@pytest.mark.parametrize("changes", [{"role": "lead"}, {"until": ""}, {"reason": ""}])
def test_half_of_being_from_outside_is_refused(administrator, changes):
    day = timezone.localdate() + timedelta(days=20)
    form = {"email": "otto@example.org", "role": "auditor", "reason": "the yearly audit", "until": f"{day}"}

    assert sign_in(administrator).post("/settings/members/invite/", form | changes).status_code == 422
    assert not Membership.objects.filter(user__email="otto@example.org").exists()


def test_a_masked_bundle_holds_and_says_what_it_withholds(reviewed, outsider, tmp_path):
    file = tmp_path / "bundle.zip"
    file.write_bytes(make_bundle(outsider, ReportScope(ScopeKind.ITEM, reviewed.pk, all_fields=True)))

    found = verify(str(file))

    told = "\n".join(words(found, is_trusted=False))
    assert found.masked > 5
    assert f"{found.masked} texts, values and signatures masked" in told


def test_only_masked_files_are_taken_by_somebody_from_outside(reviewed, auditor, outsider):
    client = sign_in(outsider)
    whole, own = make_export(auditor), make_export(outsider)

    assert client.get(f"/exports/{whole.pk}/file/").status_code == 302
    taken = b"".join(client.get(f"/exports/{own.pk}/file/").streaming_content).decode()
    assert kinds_in(taken) == {"NAMES"}
    assert "This report was made for an auditor from outside" in taken


def test_a_report_that_was_asked_for_before_is_masked_when_it_is_made(reviewed, outsider):
    assert kinds_in(file_of(outsider, "jsonl", ReportScope(ScopeKind.ITEM, reviewed.pk, all_fields=True))) == {"NAMES"}


def test_a_mask_stands_in_a_table_as_it_does_elsewhere(reviewed, outsider):
    rows = list(csv.DictReader(io.StringIO(file_of(outsider, "csv", ReportScope(ScopeKind.ITEM, reviewed.pk, all_fields=True)))))

    assert {row["value"] for row in rows if row["kind"] == "field"} == {"[masked]"}
    assert not [cell for row in rows for cell in row.values() if cell == "'[masked]'"]

"""Invitations: nothing begins and nothing is shown before the owner of the address accepts, signed in as themselves."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviewers.accounts import policies
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.members.actions import accept_invitation, accept_with_new_account, end_membership, invite
from reviewers.accounts.models import Invitation, Membership, Role, User
from reviewers.accounts.policies import ExternalTerms, Refused
from reviewers.accounts.queries import link_of
from reviewers.web.tenancy import tenant
from tests.accounts.mailing import deliver, link_in_mail
from tests.accounts.signing_in import ASKED_FOR_CODE, give_second_factor, is_signed_in, sign_in_with
from tests.events import events, events_of
from tests.factories import PASSWORD, make_member, make_organisation, sign_in
from tests.threads import at_once

PAGE = "/settings/members/"
ADDRESS = "nora@example.org"
NEW = {"email": "Nora@Example.org", "role": "reviewer"}
LOOKALIKES = [
    "Ada Abb\u043et",
    "\u0410da Abbot",
    "Ada \u0391bbot",
    "Ad\u0251 Abb\u1d0ft",
    "Ada Abb0t",
    "Ada Abb\u0585t",
    "Ada Abb\u00f2t\u02bb",
]
"""With letters of other alphabets, which look like those of the name on every page."""
STRANGE = [
    *(
        "\u2c80da Abbot",
        "\ua4ee\ua4d3\ua4ee Abbot",
        "Ada \u13aabbot",
        "Ada Abb\u10fft",
        "Ada Abb\u0d20t",
        "Ada Abb\u0ed0t",
        "Ada Abb\u3007t",
    ),
    *("\ua73ada Abbot", "Ada \u01c0bbot", "Ada \U000118a0bbot", "Ada \u2229bbot", "Nora \u041dew"),
]
WRITTEN = [
    *(
        "Jos\u00e9 M\u00fcller-\u0141ukasz",
        "Nguy\u1ec5n Th\u1ecb \u00c1nh",
        "\u00de\u00f3r\u00f0ur Gro\u00df",
        "O\u2019Brien, PhD (night)",
        "Ka\u02bbiulani 2nd",
    ),
    *(
        "\u018fliyev",
        "K\u0254f\u00ed Ag\u025bwu",
        "\u0418\u0432\u0430\u043d \u041f\u0435\u0442\u0440\u043e\u0432 MD",
        "\u0391\u03bb\u03ad\u03be\u03b7\u03c2",
        "\u0645\u062d\u0645\u062f \u0639\u0644\u064a",
    ),
    *(
        "\u0928\u0947\u0939\u093e \u0936\u0930\u094d\u092e\u093e",
        "\u4f50\u3005\u6728 \u30eb\u30ea\u5b50",
        "\uae40\ubbfc\uc218",
        "\u05e0\u05ea\u05df",
        "\u0e2a\u0e21\u0e0a\u0e32\u0e22",
        "\u0531\u0580\u0561\u0574",
    ),
]
ACCOUNT = {"name": "Nora New", "password1": "a passphrase of my own", "password2": "a passphrase of my own"}


@pytest.fixture
def client(administrator) -> Client:
    return sign_in(administrator)


def send(client: Client, **changes: str) -> str:
    """Invite somebody by the form; returns the path that the mail brings."""
    client.post(f"{PAGE}invite/", NEW | changes)
    return link_in_mail("invitation")


def test_an_invitation_makes_neither_account_nor_membership(client, administrator):
    people, members = User.objects.count(), Membership.objects.count()

    client.post(f"{PAGE}invite/", NEW)

    assert (User.objects.count(), Membership.objects.count()) == (people, members)
    (event,) = events("invitation.made")
    assert (event["actor"]["id"], event["details"]) == (str(administrator.user_id), {"role": "reviewer", "until": None})
    assert ADDRESS not in str(events()), "the address is committed to, not told"


def test_the_link_goes_to_the_address_and_is_shown_to_nobody(client):
    shown = client.post(f"{PAGE}invite/", NEW, follow=True).content.decode()

    assert deliver() == [ADDRESS]
    token = link_in_mail("invitation").split("/")[-2]
    assert token not in shown
    assert token not in client.get(PAGE).content.decode()


def test_an_organisation_invites_so_many_in_an_hour(client, monkeypatch):
    """Each invitation is a mail: one administrator could have the mail of all organisations wait, and anybody flooded."""
    monkeypatch.setattr(policies, "MOST_INVITED", 2)
    for email in (ADDRESS, ADDRESS):
        client.post(f"{PAGE}invite/", NEW | {"email": email})

    refused = client.post(f"{PAGE}invite/", NEW | {"email": "other@example.org"})

    assert refused.status_code == 409
    assert "2 invitations were sent within an hour" in refused.content.decode()
    Invitation.objects.update(created_at=timezone.now() - timedelta(hours=1, minutes=1))
    assert client.post(f"{PAGE}invite/", NEW | {"email": "other@example.org"}).status_code == 302


def test_somebody_new_chooses_name_and_password_and_belongs_from_then_on(client, organisation, administrator):
    link = send(client)
    nora = Client()
    page = nora.get(link).content.decode()
    nora.post(link, ACCOUNT)
    sign_in_with(nora, ADDRESS, ACCOUNT["password1"])

    assert organisation.name in page
    assert "to review answers here, as reviewer." in page
    assert is_signed_in(nora)
    assert nora.get("/queue/").status_code == 200
    member = Membership.objects.get(user__email=ADDRESS)
    assert (member.role, member.invited_by_id) == ("reviewer", administrator.user_id)
    (added,) = events("member.added")[-1:]
    assert added["actor"]["id"] == str(member.user_id)


@pytest.mark.parametrize(
    "wrong", [{"password2": "another one altogether"}, {"name": ""}, dict.fromkeys(["password1", "password2"], "short")], ids=str
)
def test_a_faulty_account_makes_none(client, wrong):
    link = send(client)

    assert Client().post(link, ACCOUNT | wrong).status_code == 422
    assert not User.objects.filter(email=ADDRESS).exists()


@pytest.mark.parametrize("name", ["Ada Abbot", "  ada  ABBOT ", "Ada\u00a0Ábbot", "Ada-Abbot", "Ada Ab\u200cbot", *LOOKALIKES], ids=ascii)
def test_nobody_new_takes_the_name_of_a_colleague(client, administrator, name):
    """Nor of a former one: what either signed is shown with the name alone."""
    link = send(client)
    refused = Client().post(link, ACCOUNT | {"name": name})

    assert administrator.user.name == "Ada Abbot"
    assert refused.status_code == 422
    assert "Somebody here has this name." in refused.content.decode()
    assert not User.objects.filter(email=ADDRESS).exists()


@pytest.mark.parametrize("alike", STRANGE, ids=ascii)
def test_nobody_new_has_letters_that_no_name_is_written_with_or_of_two_alphabets_in_a_word(client, administrator, alike):
    """There are too many that look like others to know them all."""
    refused = Client().post(send(client), ACCOUNT | {"name": alike})

    assert refused.status_code == 422
    assert "the letters of one alphabet" in refused.content.decode()
    assert not User.objects.filter(email=ADDRESS).exists()


@pytest.mark.parametrize("name", WRITTEN, ids=ascii)
def test_names_are_written_in_the_letters_of_their_language(client, administrator, name):
    assert Client().post(send(client), ACCOUNT | {"name": name}).status_code == 302
    assert User.objects.get(email=ADDRESS).name == name


@pytest.mark.parametrize("was", ["elsewhere", "from outside"])
def test_nobody_brings_the_name_of_a_colleague(client, administrator, organisation, was):
    """An account of another organisation, or one that was made to audit, may have been given any name."""
    until = timezone.now() + timedelta(days=20)
    where, outside = (make_organisation("Elsewhere Clinic"), None) if was == "elsewhere" else (organisation, ExternalTerms("audit", until))
    with tenant.within(where.pk):
        role = Role.AUDITOR if outside else Role.REVIEWER
        made = invite(organisation=where, email=ADDRESS, role=role, at=timezone.now(), by=SYSTEM, outside=outside)
        member = accept_with_new_account(invitation=made, name="Ada  Abbot", password=PASSWORD, at=timezone.now())
        if outside:
            end_membership(member=member, at=timezone.now(), by=SYSTEM)
    link = send(client)
    browser = Client()
    sign_in_with(browser, ADDRESS, PASSWORD)
    refused = browser.post(link, {"do": "accept"})

    assert administrator.user.name == "Ada Abbot"
    assert refused.status_code == 409
    assert "Somebody here has the name of your account" in refused.content.decode()
    assert not Membership.objects.filter(organisation=organisation, user__email=ADDRESS, ended_at=None).exists()
    assert browser.post(link, {"do": "decline"}).status_code == 200, "it can be declined"


def test_somebody_from_outside_is_not_told_who_is_here(client, administrator):
    until = (timezone.now() + timedelta(days=30)).date().isoformat()
    link = send(client, role="auditor", reason="the yearly audit", until=until)

    assert Client().post(link, ACCOUNT | {"name": administrator.user.name}).status_code == 302


@pytest.mark.parametrize("name", ["Nora\nNew", " Nora \u2028 New"], ids=ascii)
def test_a_name_is_one_line(client, name):
    link = send(client)

    assert Client().post(link, ACCOUNT | {"name": name}).status_code == 302
    assert User.objects.get(email=ADDRESS).name == "Nora New"


@pytest.mark.parametrize("name", ["Nora \u202eweN", "Nora\u200b New", "Nora\x07", "--"], ids=ascii)
def test_a_name_is_made_of_what_can_be_seen(client, name):
    link = send(client)

    assert Client().post(link, ACCOUNT | {"name": name}).status_code == 422
    assert not User.objects.filter(email=ADDRESS).exists()


def test_somebody_known_accepts_signed_in_as_themselves(client, charlie, organisation):
    link = send(client, email=charlie.user.email)
    asked = Client().get(link).content.decode()
    theirs = sign_in(charlie)
    offered = theirs.get(link).content.decode()
    before = Membership.objects.filter(user=charlie.user).count()

    theirs.post(link, {"do": "accept"})

    assert f"/accounts/login/?next=%2Faccounts%2Finvitation%2F{Invitation.objects.get().pk}" in asked
    assert "password1" not in asked
    assert organisation.name in offered
    assert (before, Membership.objects.filter(user=charlie.user, organisation=organisation).count()) == (0, 1)
    assert User.objects.get(pk=charlie.user_id).check_password(PASSWORD)


def test_whoever_has_a_second_factor_accepts_with_it(client, charlie):
    give_second_factor(charlie)
    link = send(client, email=charlie.user.email)
    theirs = Client()
    answered = sign_in_with(theirs, charlie.user.email, next=link)

    theirs.post(link, {"do": "accept"})

    assert answered["Location"].startswith(ASKED_FOR_CODE)
    assert Membership.objects.filter(user=charlie.user).count() == 0


def test_nobody_takes_over_an_account_by_a_link_for_it(client, charlie):
    """Neither a password nor a name is set for whoever has an account."""
    link = send(client, email=charlie.user.email)

    Client().post(link, ACCOUNT)

    user = User.objects.get(pk=charlie.user_id)
    assert (user.name, user.check_password(PASSWORD)) == ("Charlie Crane", True)
    assert Membership.objects.filter(user=charlie.user).count() == 0


def test_an_administrator_elsewhere_gets_no_way_into_an_account_that_is_invited_here_later(client, organisation):
    """In another organisation an address is added before this one invites it; whatever that shows opens nothing here."""
    other = make_organisation("Other House")
    intruder = sign_in(make_member(other, Role.ADMINISTRATOR, "Ivo Intruder"))
    with tenant.outside():
        shown = intruder.post(f"{PAGE}invite/", NEW | {"role": "administrator"}, follow=True).content.decode()
        page = intruder.get(PAGE).content.decode()
    assert not re.search("/accounts/(invitation|password/reset)/", shown)
    assert not User.objects.filter(email=ADDRESS).exists()

    link = send(client)
    Client().post(link, ACCOUNT)

    with tenant.within(other.pk):
        assert not Membership.objects.filter(organisation=other, user__email=ADDRESS).exists()
    assert "Nora New" not in page
    assert Membership.objects.get(user__email=ADDRESS).organisation == organisation


def test_the_answer_and_the_work_are_the_same_for_known_and_unknown_addresses(client, charlie):
    client.post(f"{PAGE}invite/", NEW | {"email": "first@example.org"})
    told, work = [], []
    for email in (charlie.user.email, "nobody@example.org"):
        with CaptureQueriesContext(connection) as captured:
            response = client.post(f"{PAGE}invite/", NEW | {"email": email})
        told.append((response.status_code, response["Location"]))
        work.append([re.sub(r"(SAVEPOINT ).*| WHERE .*|VALUES.*|'.*", r"\1", query["sql"])[:60] for query in captured])

    assert told[0] == told[1]
    assert work[0] == work[1]
    page = client.get(PAGE).content.decode()
    assert "Charlie Crane" not in page


def test_an_invited_person_notices_nothing_before_they_accept(client, charlie):
    theirs = sign_in(charlie)
    before = theirs.get("/queue/").content

    send(client, email=charlie.user.email)

    assert theirs.get("/queue/").status_code == 200
    assert theirs.post("/queue/next/").status_code == 302
    assert not theirs.get("/queue/").headers.get("Location")
    assert before


def test_an_invitation_is_for_its_address_alone(client, alice, charlie):
    link = send(client, email=charlie.user.email)

    response = sign_in(alice).post(link, {"do": "accept"})

    assert response.status_code == 409
    assert "You are signed in as" in response.content.decode()
    assert Membership.objects.filter(user=charlie.user).count() == 0


def test_declining_ends_it(client, charlie):
    link, theirs = send(client, email=charlie.user.email), sign_in(charlie)
    theirs.post(link, {"do": "decline"})

    assert theirs.post(link, {"do": "accept"}).status_code == 409
    assert Invitation.objects.get().ended_as == "declined"
    assert [event["details"] for event in events("invitation.ended")] == [{"outcome": "declined"}]


def test_a_link_works_once(client):
    link = send(client)
    Client().post(link, ACCOUNT)

    assert Client().get(link).status_code == 409
    assert Client().post(link, ACCOUNT | {"name": "Somebody Else"}).status_code == 409
    assert User.objects.get(email=ADDRESS).name == "Nora New"


def test_a_withdrawn_one_opens_nothing(client):
    link = send(client)
    client.post(f"/settings/invitations/{Invitation.objects.get().pk}/withdraw/")

    assert Client().post(link, ACCOUNT).status_code == 409
    assert not User.objects.filter(email=ADDRESS).exists()


def test_inviting_again_makes_the_first_link_void(client):
    first, second = send(client), send(client, role="lead")

    assert (Client().get(first).status_code, Client().get(second).status_code) == (409, 200)
    assert [each.ended_as for each in Invitation.objects.order_by("created_at")] == ["replaced", ""]


def test_it_expires(client, settings):
    link = send(client)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert Client().post(link, ACCOUNT).status_code == 409
    assert "expired" in client.get(PAGE).content.decode()
    assert timedelta(days=7) == settings.INVITATION_LASTS


@pytest.mark.parametrize("changed", ["token", "id"])
def test_a_made_up_link_is_found_nowhere(client, changed):
    *before, token, end = send(client).split("/")
    other = "f" * 64 if changed == "token" else token
    link = "/".join([*before, other, end])
    if changed == "id":
        link = link.replace(str(Invitation.objects.get().pk), "01900000-0000-7000-8000-000000000000")

    assert Client().get(link).status_code == 404
    assert Client().post(link, ACCOUNT).status_code == 404


def test_of_two_acceptances_at_once_one_succeeds(committed):
    organisation, other = make_organisation(), make_organisation("Elsewhere")
    person = make_member(other, Role.REVIEWER, "Charlie Crane").user
    with tenant.within(organisation.pk):
        invitation = invite(organisation=organisation, email=person.email, role=Role.LEAD, at=timezone.now(), by=SYSTEM)

    def try_it() -> str:
        with tenant.within(organisation.pk):
            try:
                accept_invitation(invitation=invitation, user=person, at=timezone.now())
            except Refused:
                return "refused"
        return "accepted"

    outcomes = at_once([try_it] * 4)

    assert sorted(outcomes) == ["accepted", "refused", "refused", "refused"]
    with tenant.within(organisation.pk):
        assert Membership.objects.filter(organisation=organisation, user=person).count() == 1
        assert [event["action"] for event in events_of(organisation.pk)].count("member.added") == 1


def test_whoever_was_invited_by_two_organisations_makes_one_account(db):
    """The other link, opened before there was one, says to open it again."""
    made = []
    for name in ("Quillbrook Care", "Elsewhere"):
        organisation = make_organisation(name)
        with tenant.within(organisation.pk):
            made.append(invite(organisation=organisation, email="nora@example.org", role=Role.LEAD, at=timezone.now(), by=SYSTEM))
    first, second = made
    told = {"name": "Nora Nash", "password": "four unrelated words here", "at": timezone.now()}
    with tenant.within(first.organisation_id):
        accept_with_new_account(invitation=first, **told)

    with tenant.within(second.organisation_id), pytest.raises(Refused, match="You have an account by now"):
        accept_with_new_account(invitation=second, **told)


def test_a_member_is_not_invited_again(client, alice):
    response = client.post(f"{PAGE}invite/", NEW | {"email": alice.user.email})

    assert response.status_code == 409
    assert "is a member already" in response.content.decode()


def test_the_link_is_in_no_table(client):
    send(client)
    (invitation,) = Invitation.objects.all()
    token = link_of(invitation).split("/")[-2]
    with connection.cursor() as cursor:
        cursor.execute("SELECT args::text FROM procrastinate_jobs")
        jobs = cursor.fetchall()

    assert token not in str(jobs)
    assert token not in str(Invitation.objects.values())
    assert token in mail.outbox[-1].body


@pytest.mark.parametrize("how", ["end", "role"])
def test_an_administrator_who_leaves_leaves_no_way_back(client, administrator, organisation, how):
    """Nor does one who gets another role: what they offered is withdrawn, and what others offered is not."""
    second = make_member(organisation, Role.ADMINISTRATOR, "Sara Second")
    theirs, others = send(sign_in(second)), send(client, email="olive@example.org")

    client.post(f"{PAGE}{second.pk}/{how}/", {"role": "reviewer"})

    assert Client().post(theirs, ACCOUNT).status_code == 409
    assert not User.objects.filter(email=ADDRESS).exists()
    assert Client().get(others).status_code == 200
    (ended,) = events("invitation.ended")
    assert (ended["actor"]["id"], ended["details"]) == (str(administrator.user_id), {"outcome": "withdrawn"})


def test_nobody_invites_who_ceased_to_be_an_administrator_meanwhile(organisation, administrator):
    """Their request was let in while they were one."""
    second = make_member(organisation, Role.ADMINISTRATOR, "Sara Second")
    end_membership(member=second, at=timezone.now(), by=user_actor(administrator.user_id))

    with pytest.raises(Refused):
        invite(organisation=organisation, email=ADDRESS, role=Role.LEAD, at=timezone.now(), by=user_actor(second.user_id))

"""Changing a password, and getting a new one by mail."""

from __future__ import annotations

import re
from functools import partial

import pytest
from allauth.account.utils import user_pk_to_url_str
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviewers.accounts import jobs
from reviewers.accounts.actions import add_member
from reviewers.accounts.jobs import RETRY
from reviewers.accounts.models import Membership, User
from reviewers.accounts.sign_in.passwords import TokenGenerator
from reviewers.web.tenancy import tenant
from tests.accounts.mailing import deliver, link_in_mail, waiting
from tests.accounts.signing_in import ASKED_FOR_CODE, give_second_factor, is_signed_in, sign_in_with
from tests.events import actions_of, events
from tests.factories import NOW, PASSWORD, make_member, make_organisation, sign_in
from tests.threads import at_once

CHANGE = "/accounts/password/change/"
RESET = "/accounts/password/reset/"
NEW = "another rather long one"


def change(client: Client, old: str = PASSWORD, new: str = NEW):
    return client.post(CHANGE, {"oldpassword": old, "password1": new, "password2": new})


def choose_new(client: Client, link: str, new: str = NEW):
    """Open the link of a message and fill in the form it leads to."""
    form = client.get(link, follow=True)
    return client.post(form.request["PATH_INFO"], {"password1": new, "password2": new})


def test_a_changed_password_holds_and_is_written_down(alice):
    change(sign_in(alice))

    assert is_signed_in_with(alice, NEW)
    assert not is_signed_in_with(alice, PASSWORD)
    (event,) = events("password.changed")
    assert (event["actor"]["id"], event["object"]["id"]) == (str(alice.user_id), str(alice.user_id))
    assert NEW not in str(events())


def is_signed_in_with(member: Membership, password: str) -> bool:
    client = Client()
    sign_in_with(client, member.user.email, password)
    return is_signed_in(client)


def test_wrong_passwords_are_counted_and_written_down_where_one_is_changed(alice):
    """Like those of a proof: a stolen session must not be enough to find the password out."""
    client = sign_in(alice)
    for number in range(5):
        change(client, old=f"a guess, number {number}")
    closed = change(client).content.decode()

    assert "too many wrong tries" in closed
    assert is_signed_in_with(alice, PASSWORD), "not even the right one changes it for a while"
    assert {event["details"]["purpose"] for event in events("proof.refused")} == {"account"}
    assert len(events("proof.refused")) == 5


def test_a_changed_password_ends_all_other_sessions_and_keeps_this_one(alice):
    here, elsewhere = sign_in(alice), sign_in(alice)

    change(here)

    assert (here.get("/queue/").status_code, elsewhere.get("/queue/").status_code) == (200, 302)


def test_the_old_password_is_needed(alice):
    response = change(sign_in(alice), old="something else entirely")

    assert response.status_code == 200
    assert not is_signed_in_with(alice, NEW)
    assert events("password.changed") == []


@pytest.mark.parametrize("weak", ["short", "elevenchars", "qwerty123456", "Alice Aldous 1"])
def test_a_weak_password_is_refused(alice, weak):
    """Too short, among the common ones, or one's own name."""
    response = change(sign_in(alice), new=weak)

    assert response.status_code == 200
    assert not is_signed_in_with(alice, weak)


def test_a_link_in_a_message_gives_a_new_password_and_is_written_down(client, alice):
    client.post(RESET, {"email": alice.user.email})
    choose_new(client, link_in_mail())

    assert [message.to for message in mail.outbox] == [[alice.user.email]]
    assert is_signed_in_with(alice, NEW)
    (event,) = events("password.reset")
    assert (event["actor"]["kind"], event["object"]["id"]) == ("system", str(alice.user_id))


def test_a_new_password_signs_nobody_in_and_ends_all_sessions(client, alice):
    elsewhere = sign_in(alice)
    client.post(RESET, {"email": alice.user.email})
    choose_new(client, link_in_mail())

    assert not is_signed_in(client)
    assert elsewhere.get("/queue/").status_code == 302


def test_a_new_password_does_not_stand_in_for_the_second_factor(client, alice):
    give_second_factor(alice)
    client.post(RESET, {"email": alice.user.email})
    choose_new(client, link_in_mail())

    assert sign_in_with(client, alice.user.email, NEW)["Location"] == ASKED_FOR_CODE
    assert not is_signed_in(client)


def test_a_link_works_once(client, alice):
    client.post(RESET, {"email": alice.user.email})
    link = link_in_mail()
    choose_new(client, link)

    choose_new(Client(), link, "a third long passphrase")

    assert is_signed_in_with(alice, NEW)


def test_of_four_who_use_one_link_at_once_one_sets_the_password(committed):
    alice, count = make_member(make_organisation()), 4
    link = f"{RESET}key/{user_pk_to_url_str(alice.user)}-{TokenGenerator().make_token(alice.user)}/"
    browsers = [Client() for _ in range(count)]
    forms = [browser.get(link)["Location"] for browser in browsers]
    chosen = [{"password1": f"{NEW} {number}", "password2": f"{NEW} {number}"} for number in range(count)]

    at_once([partial(browser.post, form, each) for browser, form, each in zip(browsers, forms, chosen, strict=True)])

    assert len(events("password.reset")) == 1


@pytest.mark.parametrize("key", ["0-set-password", "1-abc-def", "zzzz-000000-" + "0" * 32, "01-x"])
def test_a_made_up_link_changes_nothing(client, alice, key):
    response = client.get(f"{RESET}key/{key}/", follow=True)

    assert response.status_code == 200
    assert "Bad Token" in response.content.decode()
    assert events("password.reset") == []


def test_an_unknown_address_and_a_closed_account_are_told_the_same_and_get_no_mail(client, alice, bob):
    User.objects.filter(pk=bob.user_id).update(is_active=False)

    told = {email: client.post(RESET, {"email": email}) for email in (alice.user.email, bob.user.email, "nobody@example.org")}

    assert {(response.status_code, response["Location"]) for response in told.values()} == {(302, f"{RESET}done/")}
    assert mail.outbox == [], "no request waits for a mail server"
    assert deliver() == [alice.user.email]
    assert [message.to for message in mail.outbox] == [[alice.user.email]]


def test_asking_for_a_new_password_changes_nothing_yet(client, alice):
    before = actions_of(events())
    client.post(RESET, {"email": alice.user.email})

    assert is_signed_in_with(alice, PASSWORD)
    assert actions_of(events()) == [*before, "session.started"]


def test_whose_membership_has_ended_gets_a_new_password_and_no_organisation_hears_of_it(client, alice):
    Membership.objects.filter(pk=alice.pk).update(ended_at=NOW)
    client.post(RESET, {"email": alice.user.email})
    choose_new(client, link_in_mail())

    assert is_signed_in_with(alice, NEW)
    assert events("password.reset") == []


def test_a_request_does_the_same_for_every_address(client, alice):
    client.post(RESET, {"email": "first@example.org"})
    counts = []
    for email in (alice.user.email, "nobody@example.org"):
        with CaptureQueriesContext(connection) as captured:
            client.post(RESET, {"email": email})
        counts.append([re.sub(r"'[^']*'|\d+", "?", query["sql"]) for query in captured])

    assert counts[0] == counts[1]
    assert [job.args["address"] for job in waiting()] == ["first@example.org", alice.user.email, "nobody@example.org"]


def test_a_mail_server_that_is_down_fails_no_request_and_the_job_is_tried_again(client, alice, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(mail.backends.locmem.EmailBackend, "send_messages", refuse)

    assert client.post(RESET, {"email": alice.user.email}).status_code == 302
    with pytest.raises(OSError):
        deliver()
    assert jobs.send_password_link.retry_strategy is RETRY


@pytest.mark.parametrize("change", [{"ended_at": NOW}, {"role": "lead"}], ids=["ended", "another role"])
def test_a_link_is_void_after_a_change_of_membership(client, alice, change):
    client.post(RESET, {"email": alice.user.email})
    link = link_in_mail()
    Membership.objects.filter(pk=alice.pk).update(**change)

    choose_new(client, link)

    assert not User.objects.get(pk=alice.user_id).check_password(NEW)


def test_a_link_is_void_after_another_membership_begins_and_after_the_address_changes(client, alice, charlie):
    client.post(RESET, {"email": alice.user.email})
    link = link_in_mail()
    with tenant.within(charlie.organisation_id):
        add_member(organisation=charlie.organisation, user=alice.user, role="lead", at=NOW)
    choose_new(client, link)
    after_membership = User.objects.get(pk=alice.user_id).check_password(NEW)

    client.post(RESET, {"email": alice.user.email})
    link = link_in_mail()
    User.objects.filter(pk=alice.user_id).update(email="other@example.org")
    choose_new(client, link)

    assert (after_membership, User.objects.get(pk=alice.user_id).check_password(NEW)) == (False, False)


def test_a_link_leads_to_the_configured_address_whatever_the_host_of_the_request(alice, settings):
    Client(headers={"Host": "localhost:9999"}).post(RESET, {"email": alice.user.email})
    deliver()

    assert settings.ADDRESS in mail.outbox[-1].body
    assert "9999" not in mail.outbox[-1].body


def test_mail_that_no_server_takes_is_said_in_the_log_without_its_reader(settings, caplog):
    settings.EMAIL_BACKEND, settings.EMAIL_PORT = "django.core.mail.backends.smtp.EmailBackend", 1

    with pytest.raises(ConnectionRefusedError):
        jobs.send("alice@example.org", "A subject", "A text")

    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "mail_not_sent" in line
    assert "ConnectionRefusedError" in line
    assert "alice" not in line

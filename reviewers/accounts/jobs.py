"""Background jobs of accounts: mail, and deleting what has expired.

Mail is plain text. The worker sends it, and tries again when the mail server does not answer.
"""

from __future__ import annotations

from collections.abc import Callable
from smtplib import SMTPException
from uuid import UUID

import structlog
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from reviewers.accounts import actions, sessions
from reviewers.accounts.models import Invitation, Role, User
from reviewers.accounts.queries import link_of, list_organisation_ids
from reviewers.accounts.sign_in import proofs, throttle
from reviewers.accounts.sign_in.passwords import TokenGenerator
from reviewers.web.tenancy import tenant

_log = structlog.get_logger(__name__)

RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)
"""Retries after 4, 16, 64, 256 and 1,024 seconds."""


def send(address: str, subject: str, text: str) -> None:
    """Send a message to one address. Line breaks in the subject become spaces: an organisation's name is part of it.

    Raises ``SMTPException`` or ``OSError``, and says so in the log, if the mail server does not take it.
    """
    try:
        EmailMessage(" ".join(subject.split()), text, to=[address]).send()
    except (SMTPException, OSError) as error:
        _log.warning("mail_not_sent", host=settings.EMAIL_HOST, port=settings.EMAIL_PORT, error=type(error).__name__)
        raise


# Mail.


def defer_invitation_mail(invitation: Invitation) -> None:
    """Queue the mail of an invitation; it is sent once the transaction is committed."""
    send_invitation.defer(invitation=str(invitation.pk))


@app.task(retry=RETRY)
def send_invitation(*, invitation: str) -> None:
    """Send the link of an invitation to its address, unless the invitation has ended meanwhile."""
    with tenant.outside():
        found = Invitation.objects.select_related("organisation", "invited_by").filter(pk=UUID(invitation), ended_at=None).first()
    if found is not None and found.expires_at > timezone.now():
        send(found.email, f"Invitation to {found.organisation.name}", _invitation_text(found))


def _invitation_text(invitation: Invitation) -> str:
    by = f"{invitation.invited_by.name} at {invitation.organisation.name}" if invitation.invited_by else invitation.organisation.name
    day = timezone.localtime(invitation.expires_at).strftime("%-d %B %Y, %H:%M")
    return (
        f"{by} invites you to review answers in Footnote, as {Role(invitation.role).label.lower()}.\n\n"
        f"Open this link to accept or decline. It is for you alone, and works until {day}:\n\n{link_of(invitation)}\n\n"
        "If you do not know why you were invited, do nothing: nothing begins before you accept, and nobody was told anything about you.\n"
    )


@app.task(retry=RETRY)
def send_password_link(*, address: str) -> None:
    """Send a link to reset the password to an address, if an open account has it."""
    user = User.objects.filter(email=address, is_active=True).first()
    if user is not None:
        send(user.email, "A new password for Footnote", _password_text(user))


def _password_text(user: User) -> str:
    return (
        "Somebody, probably you, asked for a new password in Footnote.\n\n"
        f"Open this link within an hour to choose one. It works once:\n\n{_password_link(user)}\n\n"
        "Your second factor stays as it is. If you did not ask for this, do nothing: your password has not changed.\n"
    )


def _password_link(user: User) -> str:
    key = {"uidb36": user_pk_to_url_str(user), "key": TokenGenerator().make_token(user)}
    return f"{settings.ADDRESS}{reverse('account_reset_password_from_key', kwargs=key)}"


# Periodic jobs.


def in_each_organisation(act: Callable[[UUID], object]) -> None:
    """Do something as the tenant of each organisation. What fails in one is logged, and does not keep it from the others.

    The first error is raised at the end, so that the job counts as failed.
    """
    errors: list[Exception] = []
    for organisation_id in list_organisation_ids():
        try:
            with tenant.within(organisation_id):
                act(organisation_id)
        except Exception as error:  # noqa: BLE001 — whatever it is, the others are next
            _log.exception("periodic_job_failed", organisation=str(organisation_id))
            errors.append(error)
    if errors:
        raise errors[0]


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="end_sessions", lock="end_sessions")
def end_sessions(timestamp: int) -> None:
    """End the sessions that are idle or have lasted too long."""
    del timestamp
    sessions.end_all_expired(timezone.now())


@app.periodic(cron="17 3 * * *")
@app.task(queueing_lock="forget_drafts", lock="forget_drafts")
def forget_drafts(timestamp: int) -> None:
    """Delete old drafts in every organisation."""
    del timestamp
    in_each_organisation(lambda _: actions.delete_old_drafts(now=timezone.now()))


@app.periodic(cron="27 3 * * *")
@app.task(queueing_lock="forget_failures", lock="forget_failures")
def forget_failures(timestamp: int) -> None:
    """Delete the counts of failed tries that no longer matter."""
    del timestamp
    throttle.delete_old_failures(timezone.now())


@app.periodic(cron="37 3 * * *")
@app.task(queueing_lock="forget_proofs", lock="forget_proofs")
def forget_proofs(timestamp: int) -> None:
    """Delete the proofs that expired unused."""
    del timestamp
    in_each_organisation(lambda _: proofs.delete_unused_proofs(now=timezone.now()))

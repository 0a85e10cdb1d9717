"""What the worker does for accounts."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts import drafts, given_proofs, hurdles, password_reset, sessions
from reviewers.accounts.invitations.jobs import send_invitation  # noqa: F401 — a job of this slice
from reviewers.accounts.mail import RETRY, send
from reviewers.accounts.models import User
from reviewers.accounts.queries import list_organisation_ids
from reviewers.web import walls


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="end_sessions")
def end_sessions(timestamp: int) -> None:
    """End the sessions that nobody used for a while, or that began too long ago."""
    del timestamp
    sessions.end_all_expired(timezone.now())


@app.periodic(cron="17 3 * * *")
@app.task(queueing_lock="forget_drafts")
def forget_drafts(timestamp: int) -> None:
    """Delete what somebody began to write and has not come back to."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            drafts.forget_old(now=timezone.now())


@app.periodic(cron="27 3 * * *")
@app.task(queueing_lock="forget_failures")
def forget_failures(timestamp: int) -> None:
    """Delete the counts of wrong tries that count no more."""
    del timestamp
    hurdles.forget_old(timezone.now())


@app.task(retry=RETRY)
def send_password_link(*, address: str) -> None:
    """Send a link for another password to an address, if there is an open account with it."""
    user = User.objects.filter(email=address, is_active=True).first()
    if user is not None:
        send(user.email, "A new password for Footnote", password_reset.text_for(user))


@app.periodic(cron="37 3 * * *")
@app.task(queueing_lock="forget_proofs")
def forget_proofs(timestamp: int) -> None:
    """Delete the proofs that expired unused."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            given_proofs.forget_unused(now=timezone.now())

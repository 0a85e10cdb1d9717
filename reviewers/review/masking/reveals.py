"""What somebody has revealed in this session, and how: each time with a reason, written down as an event of its own."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django import forms
from django.db import transaction
from django.utils import timezone

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest
from reviewers.accounts.texts import Surface, Text, masked_for
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event

KEPT_IN = "revealed"
ALL = "all"
_MOST_KEPT = 200


class RevealForm(forms.Form):
    """Which part of an answer's text is revealed, and why."""

    text = forms.ChoiceField(choices=[(text.name, text.value) for text in Text] + [(ALL, ALL)])
    reason = forms.CharField(max_length=500)

    def texts(self) -> frozenset[Text]:
        """The kinds that this means."""
        chosen = self.cleaned_data["text"]
        return frozenset(Text) if chosen == ALL else frozenset({Text[chosen]})


def choices_for(hidden: frozenset[Text]) -> Sequence[tuple[str, str]]:
    """What can be revealed of an answer now, in words."""
    parts = [(text.name, text.value) for text in Text if text in hidden]
    return [*parts, (ALL, "all of it")] if len(parts) > 1 else parts


def revealed(request: MemberRequest, item_id: UUID) -> frozenset[Text]:
    """What somebody has revealed of an answer in this session."""
    names = request.session.get(KEPT_IN, {}).get(str(item_id), ()) if request.member.is_external else ()
    return frozenset(Text[name] for name in names if name in Text.__members__)


def can_reveal(request: MemberRequest, item_id: UUID) -> frozenset[Text]:
    """What is masked on an answer's page for whoever asks."""
    return masked_for(request.member, Surface.ITEM) - revealed(request, item_id)


@transaction.atomic
def reveal(request: MemberRequest, item_id: UUID, texts: frozenset[Text], reason: str) -> None:
    """Lift masks for the rest of the session. The kinds are told, the reason may be protected text and is committed to."""
    event = Event(
        action=Action.TEXT_REVEALED,
        organisation_id=request.member.organisation_id,
        by=user_actor(request.member.user_id),
        at=timezone.now(),
        object_type="snapshot",
        object_id=item_id,
        details={"texts": sorted(text.name.lower() for text in texts)},
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )
    record(event)
    kept = dict(list(request.session.get(KEPT_IN, {}).items())[-_MOST_KEPT + 1 :])
    names = {*kept.pop(str(item_id), ()), *(text.name for text in texts)}
    request.session[KEPT_IN] = kept | {str(item_id): sorted(names)}

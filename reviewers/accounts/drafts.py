"""What somebody began to write outlives the end of their session, on the server: protected text does not stay in a browser.

A draft is no act and no record, so it is no event; it becomes one when it is saved where it belongs.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Draft, Membership

KEPT_FOR = timedelta(days=7)


def keep_draft(*, page: str, field: str, text: str, by: Membership, now: datetime) -> None:
    """Keep what stands in a field; where nothing does, keep nothing."""
    place: dict[str, Any] = {"user_id": by.user_id, "organisation_id": by.organisation_id, "page": page, "field": field}
    if text.strip():
        Draft.objects.update_or_create(**place, defaults={"text": text, "saved_at": now})
    else:
        Draft.objects.filter(**place).delete()


def read_drafts(*, page: str, by: Membership) -> dict[str, str]:
    """What a person had begun to write on a page, by field."""
    drafts = Draft.objects.filter(user_id=by.user_id, organisation_id=by.organisation_id, page=page)
    return dict(drafts.values_list("field", "text"))


def forget_old(*, now: datetime) -> None:
    """Delete what nobody came back to."""
    Draft.objects.filter(saved_at__lt=now - KEPT_FOR).delete()


def forget_drafts(*, organisation_id: UUID, about: UUID) -> None:
    """Delete what anybody was writing on the pages of an object, as when parts of it are redacted."""
    Draft.objects.filter(organisation_id=organisation_id, page__contains=str(about)).delete()

"""A form for every address that takes one, such that the request would succeed: what refuses it then is not the form."""

from __future__ import annotations

from collections.abc import Mapping

from reviewers.review.models import QueueItem

NO_FORM: Mapping[str, str] = {}


def valid_form(name: str, item: QueueItem) -> Mapping[str, str]:
    """The form of an address, filled in."""
    row = {"row": "0", "attribution": str(item.attribution_id)}
    forms: Mapping[str, Mapping[str, str]] = {
        "flag": {"finding": "0", "attribution": str(item.attribution_id), "note": "look at this"},
        "switch_citations": {"on": "1"},
        "switch_second_factor": {"on": "1"},
        "create_key": {"name": "runtime", "scopes": "ingest"},
        "revoke_key": NO_FORM,
        "search": {"words": "somebody soon"},
        "take_next": NO_FORM,
        "take": NO_FORM,
        "let_go": NO_FORM,
        "renew": NO_FORM,
        "label": row | {"verdict": "correct"},
        "note": row | {"note": "seen"},
        "label_remaining": NO_FORM,
        "undo": NO_FORM,
        "submit": NO_FORM,
        "skip": {"reason": "not my language"},
    }
    return forms[name]

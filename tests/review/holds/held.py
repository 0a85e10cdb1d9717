"""Holds, and proposals to lift them."""

from __future__ import annotations

from typing import Any

from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.review.legal_holds.actions import HoldTerms, place, propose_lift
from reviewers.review.models import Hold, HoldKind, LiftProposal
from tests.factories import NOW, make_member


def make_hold(by: Membership, kind: HoldKind = HoldKind.CLIENT, reason: str = "a lawsuit", **terms: Any) -> Hold:
    """A hold, of a client without answers where nothing else is said."""
    named = terms or {"reference": "client-held"}
    return place(terms=HoldTerms(kind, reason, **named), by=by, now=NOW)


def make_lifting(organisation: Organisation) -> LiftProposal:
    """A hold that somebody has proposed to lift."""
    lead = make_member(organisation, Role.LEAD, "Hetty Hold")
    return propose_lift(hold_id=make_hold(lead).pk, reason="it is settled", by=lead, now=NOW)

"""An organisation's policy for citations: read from its settings when an answer is frozen, and kept with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution import CitationPolicy, QuotePolicy
from reviewers.accounts.models import Organisation


def policy_of(organisation: Organisation) -> CitationPolicy:
    """Return the policy that an organisation has set."""
    return CitationPolicy(
        is_required=organisation.requires_citations, quotes=QuotePolicy(organisation.quotes), repairs=organisation.repairs_answers
    )


def policy_data(policy: CitationPolicy) -> dict[str, Any]:
    """Return a policy as it is stored with an answer."""
    return {"required": policy.is_required, "quotes": policy.quotes.value, "repairs": policy.repairs}


def read_policy(data: Mapping[str, Any] | None, *, repairs: bool = True) -> CitationPolicy:
    """Return a stored policy. What it does not name is as by default; nothing is attached to an answer unless ``repairs``."""
    stored = data or {}
    return CitationPolicy(
        is_required=bool(stored.get("required")),
        quotes=QuotePolicy(stored.get("quotes", QuotePolicy.OPTIONAL)),
        repairs=repairs and bool(stored.get("repairs")),
    )

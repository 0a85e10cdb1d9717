"""An organisation's policy for citations: read from its settings when an answer is frozen, and kept with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from attribution import CitationPolicy, QuotePolicy, SearchUnit
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import SnapshotDocuments
from reviewers.snapshots.versions.in_use import TrustInUse, find_table


@dataclass(frozen=True, slots=True)
class AnswerPolicy(CitationPolicy):
    """A policy as an answer is frozen under it. ``trust_table_id`` is the organisation's own table of trust, if it has one in use."""

    trust_table_id: UUID | None = None


def policy_of(organisation: Organisation, own: TrustInUse | None) -> AnswerPolicy:
    """Return the policy that an organisation has set, with its own table of trust."""
    return AnswerPolicy(
        is_required=organisation.requires_citations,
        quotes=QuotePolicy(organisation.quotes),
        repairs=organisation.repairs_answers,
        search_unit=SearchUnit(organisation.search_unit),
        **_trust(own),
    )


def policy_data(policy: CitationPolicy) -> dict[str, Any]:
    """Return the switches of a policy as they are stored with an answer."""
    switches = {"required": policy.is_required, "quotes": policy.quotes.value, "repairs": policy.repairs}
    return switches | {"search_unit": policy.search_unit.value}


def kept_policy(documents: SnapshotDocuments | None, *, repairs: bool = True) -> AnswerPolicy:
    """Return the policy that is kept with an answer, or the default one if it has no documents. See `read_policy`."""
    return read_policy(documents.policy, documents.trust_table_id, repairs=repairs) if documents else read_policy(None, repairs=repairs)


def read_policy(data: Mapping[str, Any] | None, trust_table_id: UUID | None = None, *, repairs: bool = True) -> AnswerPolicy:
    """Return a stored policy. What it does not name is as by default; nothing is attached to an answer unless ``repairs``."""
    stored = data or {}
    return AnswerPolicy(
        is_required=bool(stored.get("required")),
        quotes=QuotePolicy(stored.get("quotes", QuotePolicy.OPTIONAL)),
        repairs=repairs and bool(stored.get("repairs")),
        search_unit=SearchUnit(stored.get("search_unit", SearchUnit.SENTENCE)),
        **_trust(find_table(trust_table_id)),
    )


def _trust(own: TrustInUse | None) -> dict[str, Any]:
    return {"trust": own.registry, "trust_table_id": own.id} if own else {}

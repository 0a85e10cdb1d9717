"""Versions in use, and the terms that answers are frozen under: schema, table of trust, and the organisation's policy for citations."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from attribution import (
    DEFAULT_PROFILE,
    CitationPolicy,
    Profile,
    QuotePolicy,
    SearchUnit,
    TrustRegistry,
    read_schema,
    read_trust_table,
    under_schema,
    with_own_table,
)
from attribution import Schema as EngineSchema
from attribution import TrustTable as EngineTable
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, TrustDecision, TrustTable, visible

USUAL_POLICY = CitationPolicy()
"""Asked of citations where an organisation has set nothing."""


@dataclass(frozen=True, slots=True)
class FreezingTerms:
    """The terms that an organisation's record is frozen under.

    ``profile`` reads the fields of the schema; ``policy`` asks the organisation's own table of trust first, if one is named.
    """

    organisation: Organisation
    profile: Profile = DEFAULT_PROFILE
    schema_id: UUID | None = None
    policy: CitationPolicy = USUAL_POLICY
    trust_table_id: UUID | None = None


# Schemas.


def find_approved_schemas(organisation_id: UUID, versions: Collection[str]) -> Mapping[str, UUID]:
    """Return the approved schemas among versions that turns name, in one query; none for an empty version, or one that nothing can have."""
    named = {version for version in versions if version and visible(version) == version}
    if not named:
        return {}
    approved = SchemaDecision.objects.filter(organisation=organisation_id, schema_version__in=named, outcome=ProposalOutcome.APPROVED)
    return dict(approved.values_list("schema_version", "version_id"))


@lru_cache(maxsize=64)
def stored_schema(schema_id: UUID) -> EngineSchema:
    """Return a stored schema. It is cached: a schema never changes under its identifier."""
    document = Schema.objects.values_list("document", flat=True).get(pk=schema_id)
    return read_schema(json.loads(bytes(document)))


def profile_under(profile: Profile, schema_id: UUID | None) -> Profile:
    """Return a profile with the fields of a stored schema instead of its own, if a schema is named."""
    return under_schema(profile, stored_schema(schema_id)) if schema_id else profile


# Tables of trust.


def id_of_table_in_use(organisation_id: UUID) -> UUID | None:
    """Return the table that new answers are judged under: the one that was approved last, or None."""
    approved = TrustDecision.objects.filter(organisation=organisation_id, outcome=ProposalOutcome.APPROVED)
    return approved.order_by("-decided_at", "-id").values_list("version_id", flat=True).first()


@lru_cache(maxsize=64)
def _stored_registry(table_id: UUID) -> TrustRegistry:
    """Return the registry that asks a stored table first. It is cached: a table never changes under its identifier."""
    number = TrustTable.objects.values_list("number", flat=True).get(pk=table_id)
    return with_own_table(read_rules(table_id), title_of_table(number))


def read_rules(table_id: UUID | None) -> EngineTable:
    """Return the rules of a table; none without one."""
    if table_id is None:
        return EngineTable(())
    return read_trust_table(bytes(TrustTable.objects.values_list("document", flat=True).get(pk=table_id)))


def title_of_table(number: int) -> str:
    """Return the title of a table, which attributions keep."""
    return f"version {number}"


# Policies for citations: read from an organisation's settings when an answer is frozen, and kept with the answer.


def policy_of(organisation: Organisation, trust_table_id: UUID | None) -> CitationPolicy:
    """Return the policy that an organisation has set, with its own table of trust."""
    return CitationPolicy(
        is_required=organisation.requires_citations,
        quotes=QuotePolicy(organisation.quotes),
        repairs=organisation.repairs_answers,
        search_unit=SearchUnit(organisation.search_unit),
        trust=_stored_registry(trust_table_id) if trust_table_id else None,
    )


def policy_data(policy: CitationPolicy) -> dict[str, Any]:
    """Return the switches of a policy as they are stored with an answer."""
    switches = {"required": policy.is_required, "quotes": policy.quotes.value, "repairs": policy.repairs}
    return switches | {"search_unit": policy.search_unit.value}


def read_policy(data: Mapping[str, Any] | None, trust_table_id: UUID | None = None, *, repairs: bool = True) -> CitationPolicy:
    """Return a stored policy. What it does not name is as by default; nothing is attached to an answer unless ``repairs``."""
    stored = data or {}
    return CitationPolicy(
        is_required=bool(stored.get("required")),
        quotes=QuotePolicy(stored.get("quotes", QuotePolicy.OPTIONAL)),
        repairs=repairs and bool(stored.get("repairs")),
        search_unit=SearchUnit(stored.get("search_unit", SearchUnit.SENTENCE)),
        trust=_stored_registry(trust_table_id) if trust_table_id else None,
    )

"""Every address of the site as the URLconf has it, and who may do what there: the table that the generated tests read.

A new address without a line here fails ``test_matrix``. Its line is its permission; what a view itself asks for is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from reviewers.accounts.models import Scope, TokenScope
from reviewers.accounts.permissions import Permission

METHODS = ("GET", "POST", "PUT", "DELETE")

PUBLIC = "public"
TOKEN = "the token of the metrics"
ALLAUTH = "accounts/"
"""The prefix of the sign-in package's own addresses, which have a table of their own."""

GET, POST = frozenset({"GET"}), frozenset({"POST"})

ENDPOINTS: dict[str, tuple[Permission | Scope | TokenScope | str, frozenset[str]]] = {
    "health": (PUBLIC, GET),
    "live": (PUBLIC, GET),
    "ready": (PUBLIC, GET),
    "metrics": (TOKEN, GET),
    "api_reference": (PUBLIC, GET),
    "openapi-json": (PUBLIC, GET),
    "post_snapshots": (Scope.INGEST, POST),
    "get_snapshot": (Scope.READ, GET),
    "get_receipt": (Scope.READ, GET),
    "list_items": (Scope.READ, GET),
    "get_item": (Scope.READ, GET),
    "post_next": (TokenScope.LABEL, POST),
    "post_label": (TokenScope.LABEL, POST),
    "post_citation_label": (TokenScope.LABEL, POST),
    "post_label_remaining": (TokenScope.LABEL, POST),
    "post_undo": (TokenScope.LABEL, POST),
    "post_unsupported": (TokenScope.LABEL, POST),
    "post_take_back": (TokenScope.LABEL, POST),
    "post_flag": (TokenScope.LABEL, POST),
    "post_resolution": (TokenScope.LABEL, POST),
    "post_comment": (TokenScope.LABEL, POST),
    "post_skip": (TokenScope.LABEL, POST),
    "post_submission": (TokenScope.LABEL, POST),
    "post_release": (TokenScope.LABEL, POST),
    "get_instruction": (Scope.INGEST, GET),
    "strip_markers": (Scope.INGEST, POST),
    "strip_conversation": (Scope.INGEST, POST),
    "post_traces": (Scope.INGEST, POST),
    "traces_of_exporters": (Scope.INGEST, POST),
    "home": (Permission.READ_HOME, GET),
    "glossary": (Permission.READ_HOME, GET),
    "organisations": (Permission.READ_HOME, GET),
    "enter": (Permission.READ_HOME, POST),
    "time_left": (Permission.READ_HOME, GET),
    "stay": (Permission.READ_HOME, POST),
    "read_drafts": (Permission.READ_HOME, GET),
    "keep_draft": (Permission.READ_HOME, POST),
    "mail": (Permission.READ_HOME, GET),
    "choose_mail": (Permission.READ_HOME, POST),
    "tokens": (Permission.READ_ITEMS, GET),
    "make_token": (Permission.READ_ITEMS, POST),
    "end_token": (Permission.READ_ITEMS, POST),
    "end_member_token": (Permission.MANAGE_MEMBERS, POST),
    "settings": (Permission.READ_SETTINGS, GET),
    "switch_citations": (Permission.CHANGE_SWITCHES, POST),
    "switch_repair": (Permission.CHANGE_SWITCHES, POST),
    "switch_citation_search": (Permission.CHANGE_SWITCHES, POST),
    "switch_judged_support": (Permission.CHANGE_SWITCHES, POST),
    "judged_support": (Permission.READ_SETTINGS, GET),
    "switch_required_citations": (Permission.CHANGE_SWITCHES, POST),
    "switch_search_unit": (Permission.CHANGE_SWITCHES, POST),
    "switch_quotes": (Permission.CHANGE_SWITCHES, POST),
    "switch_second_factor": (Permission.MANAGE_SIGN_IN, POST),
    "switch_asking_why": (Permission.MANAGE_SIGN_IN, POST),
    "create_key": (Permission.MANAGE_KEYS, POST),
    "revoke_key": (Permission.MANAGE_KEYS, POST),
    "ledger": (Permission.READ_LEDGER, GET),
    "event": (Permission.READ_LEDGER, GET),
    "event_receipt": (Permission.READ_LEDGER, GET),
    "verify_ledger": (Permission.READ_LEDGER, POST),
    "members": (Permission.MANAGE_MEMBERS, GET),
    "invite": (Permission.MANAGE_MEMBERS, POST),
    "change_role": (Permission.MANAGE_MEMBERS, POST),
    "end_membership": (Permission.MANAGE_MEMBERS, POST),
    "sign_out_member": (Permission.MANAGE_MEMBERS, POST),
    "mark_external": (Permission.MANAGE_MEMBERS, POST),
    "texts": (Permission.READ_ACCESS, GET),
    "withdraw_invitation": (Permission.MANAGE_MEMBERS, POST),
    "periods": (Permission.READ_SETTINGS, GET),
    "set_period": (Permission.MANAGE_RETENTION, POST),
    "post_schema": (Scope.INGEST, POST),
    "list_schemas": (Scope.INGEST, GET),
    "get_schema": (Scope.INGEST, GET),
    "post_trust_table": (Scope.INGEST, POST),
    "list_trust_tables": (Scope.INGEST, GET),
    "get_trust_table": (Scope.INGEST, GET),
    "schemas": (Permission.READ_SETTINGS, GET),
    "upload_schema": (Permission.MANAGE_SCHEMAS, POST),
    "schema": (Permission.READ_SETTINGS, GET),
    "download_schema": (Permission.READ_SETTINGS, GET),
    "propose_schema": (Permission.MANAGE_SCHEMAS, POST),
    "approve_schema": (Permission.MANAGE_SCHEMAS, POST),
    "decline_schema": (Permission.MANAGE_SCHEMAS, POST),
    "trust_tables": (Permission.READ_SETTINGS, GET),
    "write_trust_table": (Permission.MANAGE_TRUST, POST),
    "trust_table": (Permission.READ_SETTINGS, GET),
    "download_trust_table": (Permission.READ_SETTINGS, GET),
    "propose_trust_table": (Permission.MANAGE_TRUST, POST),
    "approve_trust_table": (Permission.MANAGE_TRUST, POST),
    "decline_trust_table": (Permission.MANAGE_TRUST, POST),
    "endpoints": (Permission.MANAGE_WEBHOOKS, GET),
    "add_endpoint": (Permission.MANAGE_WEBHOOKS, POST),
    "endpoint": (Permission.MANAGE_WEBHOOKS, GET),
    "switch_endpoint": (Permission.MANAGE_WEBHOOKS, POST),
    "send_again": (Permission.MANAGE_WEBHOOKS, POST),
    "traces": (Permission.READ_SETTINGS, GET),
    "accesses": (Permission.READ_ACCESS, GET),
    "search_client": (Permission.SEARCH_NAMES, POST),
    "explain": (Permission.READ_ITEMS, POST),
    "inbox": (Permission.READ_INBOX, GET),
    "queue": (Permission.READ_ITEMS, GET),
    "search": (Permission.SEARCH_NAMES, POST),
    "save_view": (Permission.READ_ITEMS, POST),
    "change_view": (Permission.READ_ITEMS, POST),
    "remove_view": (Permission.READ_ITEMS, POST),
    "take_next": (Permission.LABEL_ITEMS, POST),
    "move_on": (Permission.LABEL_ITEMS, POST),
    "plans": (Permission.READ_PLANS, GET),
    "quality": (Permission.READ_QUALITY, GET),
    "lead": (Permission.APPROVE_REVIEWS, GET),
    "acknowledge_alarm": (Permission.ACKNOWLEDGE_ALARMS, POST),
    "new_plan": (Permission.MANAGE_PLANS, GET),
    "preview_plan": (Permission.MANAGE_PLANS, POST),
    "create_plan": (Permission.MANAGE_PLANS, POST),
    "plan": (Permission.READ_PLANS, GET),
    "edit_plan": (Permission.MANAGE_PLANS, GET),
    "change_plan": (Permission.MANAGE_PLANS, POST),
    "start_plan": (Permission.MANAGE_PLANS, POST),
    "stop_plan": (Permission.MANAGE_PLANS, POST),
    "plan_agreement": (Permission.READ_PLANS, GET),
    "agreement": (Permission.READ_PLANS, GET),
    "conflicts": (Permission.READ_PLANS, GET),
    "conflict": (Permission.APPROVE_REVIEWS, GET),
    "decide": (Permission.APPROVE_REVIEWS, POST),
    "reopen": (Permission.APPROVE_REVIEWS, POST),
    "item": (Permission.READ_ITEMS, GET),
    "unfound": (Permission.READ_ITEMS, GET),
    "sources": (Permission.READ_ITEMS, GET),
    "passage": (Permission.READ_ITEMS, GET),
    "conversation": (Permission.READ_ITEMS, GET),
    "client": (Permission.READ_ITEMS, GET),
    "record": (Permission.READ_ITEMS, GET),
    "reveal": (Permission.REVEAL, POST),
    "receipt": (Permission.READ_ITEMS, GET),
    "citation_search": (Permission.READ_ITEMS, GET),
    "look_again": (Permission.SEARCH_AGAIN, POST),
    "ask_for_support": (Permission.SEARCH_AGAIN, POST),
    "previous": (Permission.READ_ITEMS, GET),
    "next": (Permission.READ_ITEMS, GET),
    "take": (Permission.LABEL_ITEMS, POST),
    "let_go": (Permission.LABEL_ITEMS, POST),
    "renew": (Permission.LABEL_ITEMS, POST),
    "label": (Permission.LABEL_ITEMS, POST),
    "note": (Permission.LABEL_ITEMS, POST),
    "label_citation": (Permission.LABEL_ITEMS, POST),
    "note_citation": (Permission.LABEL_ITEMS, POST),
    "label_remaining": (Permission.LABEL_ITEMS, POST),
    "undo": (Permission.LABEL_ITEMS, POST),
    "submit": (Permission.LABEL_ITEMS, POST),
    "skip": (Permission.LABEL_ITEMS, POST),
    "flag": (Permission.LABEL_ITEMS, POST),
    "resolve_flag": (Permission.APPROVE_REVIEWS, POST),
    "claim": (Permission.LABEL_ITEMS, POST),
    "take_back_claim": (Permission.LABEL_ITEMS, POST),
    "comment": (Permission.COMMENT, POST),
    "signing": (Permission.SIGN_REVIEWS, GET),
    "signing_all": (Permission.SIGN_REVIEWS, GET),
    "sign_all": (Permission.SIGN_REVIEWS, POST),
    "sign": (Permission.SIGN_REVIEWS, POST),
    "approve": (Permission.APPROVE_REVIEWS, POST),
    "statement": (Permission.READ_ITEMS, GET),
    "redactions": (Permission.REDACT, GET),
    "redact": (Permission.REDACT, GET),
    "propose_redaction": (Permission.REDACT, POST),
    "explain_redaction": (Permission.REDACT, POST),
    "redaction": (Permission.REDACT, GET),
    "approve_redaction": (Permission.REDACT, POST),
    "decline_redaction": (Permission.REDACT, POST),
    "holds": (Permission.READ_HOLDS, GET),
    "new_hold": (Permission.PLACE_HOLDS, GET),
    "place_hold": (Permission.PLACE_HOLDS, POST),
    "hold": (Permission.READ_HOLDS, GET),
    "propose_lift": (Permission.PLACE_HOLDS, POST),
    "lift_hold": (Permission.PLACE_HOLDS, POST),
    "keep_hold": (Permission.PLACE_HOLDS, POST),
    "calibration": (Permission.READ_CALIBRATION, GET),
    "combination": (Permission.READ_CALIBRATION, GET),
    "thresholds": (Permission.READ_CALIBRATION, GET),
    "planner": (Permission.READ_CALIBRATION, GET),
    "propose_profile": (Permission.MANAGE_CALIBRATION, POST),
    "profile": (Permission.READ_CALIBRATION, GET),
    "profile_node": (Permission.READ_CALIBRATION, GET),
    "profile_changes": (Permission.READ_CALIBRATION, GET),
    "compare_profile": (Permission.MANAGE_CALIBRATION, POST),
    "approve_profile": (Permission.MANAGE_CALIBRATION, POST),
    "reject_profile": (Permission.MANAGE_CALIBRATION, POST),
    "retire_profile": (Permission.MANAGE_CALIBRATION, POST),
    "recompute": (Permission.MANAGE_CALIBRATION, POST),
    "export_labels": (Permission.EXPORT_LABELS, GET),
    "suspend_profile": (Permission.MANAGE_CALIBRATION, POST),
    "lift_suspension": (Permission.MANAGE_CALIBRATION, POST),
    "transfer_profile": (Permission.MANAGE_CALIBRATION, POST),
    "judges": (Permission.READ_CALIBRATION, GET),
    "ask_judge": (Permission.MANAGE_CALIBRATION, POST),
    "judge": (Permission.READ_CALIBRATION, GET),
    "stop_judge": (Permission.MANAGE_CALIBRATION, POST),
    "imports": (Permission.READ_CALIBRATION, GET),
    "import_labels": (Permission.MANAGE_CALIBRATION, POST),
    "suggestions": (Permission.READ_REASONS, GET),
    "search_suggestions": (Permission.SEARCH_NAMES, POST),
    "why": (Permission.READ_REASONS, GET),
    "explain_why": (Permission.READ_REASONS, POST),
    "compare": (Permission.READ_REASONS, GET),
    "exports": (Permission.EXPORT, GET),
    "search_exports": (Permission.SEARCH_NAMES, POST),
    "new_export": (Permission.EXPORT, GET),
    "create_export": (Permission.EXPORT, POST),
    "export": (Permission.EXPORT, GET),
    "export_file": (Permission.EXPORT, GET),
}

OF_LEADS = frozenset({"post_resolution"})
"""Addresses for tokens whose member has to be a lead."""

READ_BY_TOKENS = frozenset({"list_items", "get_item"})
"""Addresses for keys that a member's token opens too."""

NOWHERE = frozenset({"api-root"})
"""Patterns that packages need for themselves; nobody finds anything there."""


@dataclass(frozen=True, slots=True)
class Address:
    """A pattern of the URLconf: its name, what view answers, and the names of what its path takes."""

    name: str
    route: str
    view: Any
    takes: tuple[str, ...]

    def path(self, **values: Any) -> str:
        """The path with values for what it takes; others are passed over. A number is 1 where none is given."""
        path = self.route
        for name in self.takes:
            path = path.replace(f"<int:{name}>", str(values.get(name, 1)))
            for form in (f"<uuid:{name}>", f"<{name}>"):
                path = path.replace(form, str(values.get(name, "")))
        return f"/{path}"


def addresses() -> list[Address]:
    """All of them, without the sign-in package's."""
    return [address for address in _walk(get_resolver().url_patterns) if not address.route.startswith(ALLAUTH)]


def sign_in_addresses() -> list[Address]:
    """Return the addresses of the sign-in package."""
    return [address for address in _walk(get_resolver().url_patterns) if address.route.startswith(ALLAUTH)]


def guarded_addresses() -> list[Address]:
    """Return the addresses for people, by their permission."""
    return [address for address in addresses() if isinstance(ENDPOINTS.get(address.name, ("",))[0], Permission)]


def find_address(name: str) -> Address:
    """One of them by its name."""
    return next(address for address in addresses() if address.name == name)


def _walk(patterns: Sequence[URLPattern | URLResolver], prefix: str = "") -> Iterator[Address]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        else:
            yield Address(pattern.name or "", route, pattern.callback, tuple(pattern.pattern.converters))

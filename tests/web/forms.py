"""A form for every address that takes one, such that the request would succeed: what refuses it then is not the form."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from reviewers.review.adjudication.decisions import load_reviews_of_items
from reviewers.review.models import Phase, QueueItem, UnsupportedClaim
from tests.calibration.imported import labelled_turns
from tests.snapshots.schemas import schema_text

NO_FORM: Mapping[str, str] = {}
PLAN: dict[str, str] = {"name": "A plan", "draw": "all", "overlap": "2", "is_blind": "on", "rule": "unanimous", "stream": "audit"}


def decide_form(organisation_id: UUID) -> Mapping[str, str]:
    """To decide the first conflict of an organisation; one about nothing where there is none to be seen."""
    row = QueueItem.objects.filter(organisation=organisation_id, phase=Phase.CONSOLIDATING).first()
    if row is None:
        return {"attribution": str(organisation_id), "labels": str(organisation_id), "verdict": "wrong", "reason": "it says so"}
    (case,) = load_reviews_of_items(QueueItem.objects.filter(pk=row.pk))
    labels = ",".join(str(label.id) for label in case.conflicts[0].labels)
    return {"attribution": str(row.attribution_id), "labels": labels, "verdict": "wrong", "reason": "it says so"}


def valid_form(name: str, item: QueueItem) -> Mapping[str, Any]:
    """The form of an address, filled in."""
    row = {"row": "0", "attribution": str(item.attribution_id)}
    citation = {"citation": "0", "attribution": str(item.attribution_id)}
    forms: Mapping[str, Mapping[str, Any]] = {
        "flag": {"finding": "0", "attribution": str(item.attribution_id), "note": "look at this"},
        "resolve_flag": {"note": "seen to"},
        "claim": {"words": "risk", "attribution": str(item.attribution_id), "note": "nowhere"},
        "take_back_claim": {"attribution": str(item.attribution_id), "start": "0", "end": "9"},
        "comment": {"text": "what do you think?"},
        "stay": NO_FORM,
        "keep_draft": {"page": f"/items/{item.pk}/", "field": "note 0", "text": "half a sentence"},
        "switch_citations": {"on": "1"},
        "switch_repair": {"on": "0"},
        "switch_citation_search": {"to": "off"},
        "switch_judged_support": {"on": "0"},
        "switch_required_citations": {"on": "0"},
        "switch_quotes": {"to": "off"},
        "switch_search_unit": {"to": "clause"},
        "switch_second_factor": {"on": "1"},
        "switch_asking_why": {"on": "1"},
        "upload_schema": {"text": schema_text("2027-01")},
        "propose_schema": NO_FORM,
        "approve_schema": NO_FORM,
        "decline_schema": NO_FORM,
        "write_trust_table": {"text": "guild.example, 2, our own handbook, second edition"},
        "propose_trust_table": NO_FORM,
        "approve_trust_table": NO_FORM,
        "decline_trust_table": NO_FORM,
        "add_endpoint": {"address": "https://desk.example.org/hook", "kinds": "alarm.raised"},
        "switch_endpoint": {"on": "0"},
        "choose_mail": {"pace": "now"},
        "send_again": NO_FORM,
        "search_client": {"client": "client-1"},
        "explain": {"kind": "audit", "reason": "the yearly look"},
        "explain_redaction": {"kind": "other", "reason": "she asked for it"},
        "explain_why": {"kind": "audit", "reason": "the yearly look"},
        "create_key": {"name": "runtime", "scopes": "ingest"},
        "revoke_key": NO_FORM,
        "make_token": {"name": "desk", "scope": "read", "days": "90"},
        "end_token": NO_FORM,
        "end_member_token": NO_FORM,
        "verify_ledger": NO_FORM,
        "enter": NO_FORM,
        "invite": {"email": "nora@example.org", "role": "reviewer"},
        "change_role": {"role": "lead"},
        "end_membership": NO_FORM,
        "sign_out_member": NO_FORM,
        "mark_external": {"reason": "the yearly audit", "until": f"{timezone.localdate() + timedelta(days=30)}"},
        "reveal": {"text": "all", "reason": "a complaint"},
        "withdraw_invitation": NO_FORM,
        "set_period": {"kind": "reviews", "years": "10"},
        "search": {"words": "somebody soon"},
        "save_view": {"name": "Model a", "query": "model=model-a"},
        "change_view": {"name": "Another model"},
        "remove_view": NO_FORM,
        "take_next": NO_FORM,
        "move_on": {"moves_on": "1"},
        "preview_plan": PLAN,
        "create_plan": PLAN,
        "change_plan": PLAN | {"name": "Another name"},
        "start_plan": NO_FORM,
        "stop_plan": NO_FORM,
        "acknowledge_alarm": {"reason": "seen to"},
        "look_again": NO_FORM,
        "ask_for_support": NO_FORM,
        "take": NO_FORM,
        "let_go": NO_FORM,
        "renew": NO_FORM,
        "label": row | {"verdict": "correct"},
        "note": row | {"note": "seen"},
        "label_citation": citation | {"verdict": "supports"},
        "note_citation": citation | {"note": "seen"},
        "label_remaining": NO_FORM,
        "undo": NO_FORM,
        "submit": NO_FORM,
        "search_suggestions": {"words": "quill"},
        "search_exports": {"client": "client-1"},
        "create_export": {"kind": "period", "form": "jsonl", "reason": "the yearly audit"},
        "skip": {"reason": "not my language"},
        "propose_profile": NO_FORM,
        "suspend_profile": {"reason": "the answers of today look wrong"},
        "lift_suspension": {"reason": "two labels were mistaken"},
        "transfer_profile": {"profile": str(item.pk)},
        "ask_judge": {"plan": str(item.plan_id or item.pk)},
        "stop_judge": NO_FORM,
        "import_labels": {"file": labelled_turns()},
        "compare_profile": NO_FORM,
        "approve_profile": {"changed": "0"},
        "reject_profile": {"reason": "too few conversations"},
        "recompute": NO_FORM,
        "retire_profile": {"reason": "precision fell"},
        "decide": decide_form(item.organisation_id),
        "reopen": {"reason": "the guide was another one"},
        "sign": NO_FORM,
        "sign_all": NO_FORM,
        "approve": NO_FORM,
        "propose_redaction": {"parts": "user_text", "basis": "erasure", "reason": "She asked for it."},
        "approve_redaction": NO_FORM,
        "decline_redaction": NO_FORM,
        "place_hold": {"kind": "client", "client": "client-1", "reason": "a lawsuit"},
        "propose_lift": {"reason": "it is settled"},
        "lift_hold": NO_FORM,
        "keep_hold": NO_FORM,
    }
    return forms[name]


def valid_body(name: str, item: QueueItem, *, note: str = "seen", is_blind: bool = False) -> str:
    """The JSON that a member's program sends to an address, such that the request would succeed."""
    act = {"id": str(uuid.uuid4()), "attribution": str(item.attribution_id)}
    blind, noted = {"is_blind": is_blind}, {"note": note}
    said = UnsupportedClaim.objects.filter(snapshot=item.pk).order_by("id").last()
    bodies: Mapping[str, Mapping[str, Any]] = {
        "post_label": act | noted | {"row": 0, "verdict": "correct"},
        "post_citation_label": act | noted | blind | {"citation": 0, "verdict": "supports"},
        "post_label_remaining": act,
        "post_undo": act | blind,
        "post_unsupported": act | noted | {"words": "risk"},
        "post_take_back": act | {"unsupported": str(said.pk if said else item.pk)},
        "post_flag": act | noted | blind | {"on": "row", "number": 0},
        "post_comment": {"id": act["id"], "text": note},
        "post_resolution": noted,
        "post_skip": {"reason": note},
    }
    return json.dumps(bodies.get(name, {}))

"""Rows that must never exist are refused by the database: each constraint is violated once, and none is forgotten."""

from __future__ import annotations

import hashlib
import itertools
import uuid
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from reviewers.accounts.actions import add_member, keep_draft
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import (
    Draft,
    Hurdle,
    Invitation,
    KeyUse,
    Membership,
    MemberToken,
    Organisation,
    Proof,
    RetentionPeriod,
    ServiceKey,
    SignOnIdentity,
    SignOnProvider,
    TokenUse,
    User,
)
from reviewers.accounts.retention import RecordKind, set_period
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, set_provider
from reviewers.calibration.lifecycle.actions import ask_proposal
from reviewers.calibration.lifecycle.active_profiles import lift_suspension
from reviewers.calibration.models import (
    BackgroundTask,
    CalibrationProfile,
    Comparison,
    JudgeLabel,
    JudgeRun,
    LabelSet,
    Lifting,
    ProfileDecision,
    Retirement,
    SeenCombination,
    Suspension,
)
from reviewers.ledger.models import Checkpoint, EventSecret, Leaf, Log, LogKey, Node, Redaction, RedactionDecision
from reviewers.ledger.sequencer import seal_all
from reviewers.quality.alarms import acknowledge
from reviewers.quality.jobs import fold
from reviewers.quality.models import Acknowledgement, Alarm, DayTotal, Watch
from reviewers.reports.models import Export, ExportChunk, ExportResult
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.legal_holds.actions import lift as lift_hold
from reviewers.review.models import (
    Aside,
    CitationLabel,
    CitationVerdict,
    Comment,
    ControlRow,
    CountedName,
    Decision,
    Flag,
    FlagKind,
    FlagResolution,
    Guide,
    Hold,
    Label,
    Lease,
    LiftDecision,
    LiftProposal,
    Mention,
    Plan,
    PlanItem,
    QueueItem,
    Reopening,
    SamplingFrame,
    SavedView,
    Signature,
    Submission,
    Tally,
    UnsupportedClaim,
    Verdict,
)
from reviewers.review.queue.saved_views import change_view
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import FlagChoice, put_flag, resolve_flag
from reviewers.snapshots.models import (
    CitationSearch,
    CitationSearchResult,
    Profile,
    Schema,
    SchemaDecision,
    SchemaProposal,
    Snapshot,
    SnapshotAttribution,
    SnapshotDocuments,
    SupportJudgement,
    SupportRequest,
    SupportResult,
    Trace,
    TrustDecision,
    TrustProposal,
    TrustTable,
)
from reviewers.web.tenancy import tenant
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint
from tests.accounts.invited import accept_one, invite_one
from tests.accounts.tokens import token_of
from tests.api.sending import program_of
from tests.calibration.imported import bring
from tests.calibration.judged import label_one, make_run
from tests.calibration.standing import Standing, propose, reject
from tests.factories import CITED, NOW, choose, claim_words, make_item, make_key, make_member, make_organisation
from tests.ledger.sealed import write_events
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import decide_one, make_conflict
from tests.review.holds.held import make_lifting
from tests.review.listed import make_view
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import redact_something
from tests.review.signed import proof_of, sign_as_it_stands
from tests.snapshots.judged import judge_here
from tests.snapshots.otlp.tracing import send, span
from tests.snapshots.schemas import approve_schema
from tests.snapshots.searches import make_searched, run_all
from tests.snapshots.trust_tables import approve_table
from tests.webhooks.endpoints import make_delivery, make_due_delivery

OURS = [model for model in apps.get_models() if model.__module__.startswith("reviewers.")]


class World:
    """One of everything."""

    def __init__(self) -> None:
        self.organisation = make_organisation()
        self.alice = make_member(self.organisation)
        self.item = make_item(self.organisation)
        make_key(self.organisation)
        token_of(self.alice)
        accept_one(self.organisation)
        invite_one(self.organisation)
        provider = set_provider(
            organisation=self.organisation, terms=ProviderSettings("North", "https://n.example", "c", "s", ("n.example",)), at=NOW
        )
        link_identity(provider=provider, user=self.alice.user, subject="alice", at=NOW, by=SYSTEM)
        keep_draft(page="/", field="note", text="half a sentence", by=self.alice, now=NOW)
        set_period(organisation=self.organisation, kind=RecordKind.REVIEWS, years=9, at=NOW, by=SYSTEM)
        self.label = actions.save_label(choice=choose(self.item), verdict=Verdict.CORRECT, by=self.alice, now=NOW).labels[-1]
        actions.label_remaining(item_id=self.item.pk, by=self.alice, now=NOW)
        claim_words(self.item, self.alice)
        actions.submit(item_id=self.item.pk, by=self.alice, now=NOW)
        sign_as_it_stands(self.item, self.alice)
        flag = put_flag(choice=FlagChoice(self.item.pk, self.item.attribution_id, FlagKind.ROW), note="look", by=self.alice, now=NOW)
        lead = make_member(self.organisation, "lead", "Leda Lund")
        resolve_flag(item_id=self.item.pk, flag_id=flag.pk, note="seen to", by=lead, now=NOW)
        write_comment(item_id=self.item.pk, text="look, @Leda Lund", by=self.alice, now=NOW)
        change_view(view_id=make_view(self.alice).pk, name="Mine", is_shared=False, by=self.alice, now=NOW)
        redact_something(self.organisation)
        lift_hold(hold_id=make_lifting(self.organisation).hold_id, by=make_member(self.organisation, "lead"), now=NOW)
        approve_schema(self.organisation)
        approve_table(self.organisation)
        make_delivery(self.organisation)
        make_due_delivery(self.organisation)
        send(program_of(self.organisation), span())
        make_searched(self.organisation)
        run_all()
        judge_here(self.organisation)
        cited = make_item(self.organisation, **CITED)
        make_item(self.organisation)
        self.plan = run_blind(make_member(self.organisation, "lead"), control_share=0.5, guide="Look twice.")
        actions.skip(item_id=cited.pk, reason="not mine", by=make_member(self.organisation), now=NOW)
        decide_one(make_conflict(self.organisation), make_member(self.organisation, "lead"))
        self._reopen_one()
        choice = RowChoice(cited.pk, cited.attribution_id, 0)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, by=self.alice, now=NOW)
        acknowledge(alarm_id=make_alarm(self.organisation).pk, reason="seen to", by=self.alice, now=NOW)
        fold()
        self.standing = Standing(self.organisation)
        reject(self.standing.proposed, self.standing.lead)
        make_export(make_member(self.organisation, "auditor"))
        write_events(self.organisation.pk, 256)
        seal_all(now=NOW)

    def _reopen_one(self) -> None:
        done = make_item(self.organisation)
        actions.label_remaining(item_id=done.pk, by=self.alice, now=NOW)
        actions.submit(item_id=done.pk, by=self.alice, now=NOW)
        reopen(item_id=done.pk, reason="look again", by=make_member(self.organisation, "lead"), now=NOW)

    def plan_again(self, **changes: object) -> None:
        """The plan once more, under another identifier."""
        again(Plan, **changes)

    def suspend(self) -> Suspension:
        """The active profile is suspended."""
        self.standing.suspend()
        return Suspension.objects.select_related("profile__combination").get()

    def lift(self) -> Lifting:
        """It is lifted."""
        self.suspend()
        return lift_suspension(profile_id=self.standing.active.pk, reason="seen to", by=self.standing.lead, now=NOW)

    def judge(self) -> JudgeRun:
        """A judge has been asked."""
        return make_run(make_member(self.organisation, "lead"))

    def ask_fit(self) -> BackgroundTask:
        """The worker has been asked for a profile."""
        combination_id = bring(self.organisation).combination_id
        return ask_proposal(combination_id=combination_id, by=make_member(self.organisation, "lead"), now=NOW, imports=[])

    def retire(self, reason: str) -> None:
        who = {"organisation": self.organisation, "retired_by": self.alice.user, "retired_at": NOW}
        Retirement(profile=self.standing.active, reason=reason, **who).save(force_insert=True)

    def copy_label(self, **changes: object) -> None:
        label = Label.objects.get(pk=self.label.id)
        label.pk = uuid.uuid4()
        for name, value in changes.items():
            setattr(label, name, value)
        label.save(force_insert=True)


def again(model: type[models.Model], **changes: object) -> models.Model:
    """Insert a row that is there already, under another primary key."""
    return again_of(model.objects.first(), **changes)


def again_of(row: models.Model, **changes: object) -> models.Model:
    """Insert a certain row again, under another primary key."""
    model = type(row)
    row.pk = uuid.uuid4() if isinstance(row.pk, uuid.UUID) else None
    for name, value in changes.items():
        setattr(row, name, value)
    with tenant.within(row.pk if model is Organisation else tenant.current()):
        row.save(force_insert=True)
    return row


def subscribe(world: World) -> None:
    """Insert a choice of mail of the same person."""
    again_of(Endpoint.objects.exclude(address="").first(), address="", sealed_secret="", subscriber=world.alice.user)


def decide_again(world: World, **changes: object) -> None:
    """An approval of a profile that nobody has decided of."""
    profile = propose(world.item, world.standing.lead)
    approved = ProfileDecision.objects.get(outcome="approved")
    again_of(approved, profile=profile, **changes)


def among_profiles(model: type[models.Model], **changes: object) -> Callable[[World], object]:
    """Insert a row again that is there once there are profiles."""

    def violate(world: World) -> None:
        assert world.standing
        labels = {"labels": again(LabelSet)} if model is CalibrationProfile and "labels" not in changes else {}
        again(model, **{name: value for name, value in (labels | changes).items() if value is not None})

    return violate


def undecided() -> Redaction:
    """A proposal that waits."""
    return Redaction.objects.get(decision=None)


def decide_alone(world: World) -> None:
    """Whoever proposed it approves it."""
    again(RedactionDecision, redaction=undecided(), proposed_by=undecided().proposed_by, decided_by=undecided().proposed_by)


def lift_again(world: World) -> None:
    """On another proposal."""
    proposal = again_of(LiftProposal.objects.first())
    again(LiftDecision, proposal=proposal)


def used_proof(user_id: uuid.UUID) -> Proof:
    """Return another proof that this person has used for signing."""
    proof = proof_of(Membership.objects.get(user=user_id))
    Proof.objects.filter(pk=proof.pk).update(used_at=NOW, used_for="an act")
    return proof


def use_late(proof: Proof) -> None:
    """Use a proof long after it has expired."""
    Proof.objects.filter(pk=proof.pk).update(used_at=NOW + timedelta(days=1), used_for="an act")


CITED_ONE = {"kind": "citation", "section": "", "path": "", "source": "doc", "is_own": True, "verdict": "supports"}


def approve_again(_: World) -> None:
    """Another schema of the same version."""
    schema = again(Schema, name="fs_another")
    proposal = again(SchemaProposal, version=schema)
    again(SchemaDecision, version=schema, proposal=proposal)


VIOLATIONS: dict[str, Callable[[World], object]] = {
    "one_schema_a_content": lambda _: again(Schema),
    "schema_has_a_version": lambda _: again(Schema, name="fs_another", version=""),
    "schema_written_by_one": lambda _: again(Schema, name="fs_another", written_by=None),
    "snapshots_schemadecision_proposal_id_key": lambda _: again(SchemaDecision, outcome="declined"),
    "schemadecision_takes_two": lambda _: again(SchemaDecision, decided_by=SchemaProposal.objects.first().proposed_by),
    "schema_version_approved_once": approve_again,
    "one_trust_table_a_number": lambda _: again(TrustTable, digest=bytes(32)),
    "one_trust_table_a_text": lambda _: again(TrustTable, number=2),
    "trusttable_written_by_one": lambda _: again(TrustTable, number=2, digest=bytes(32), written_by=None),
    "trust_table_counted": lambda _: again(TrustTable, digest=bytes(32), number=0),
    "trust_proposal_changes_something": lambda _: again(TrustProposal, base=TrustTable.objects.first()),
    "snapshots_trustdecision_proposal_id_key": lambda _: again(TrustDecision, outcome="declined"),
    "trustdecision_takes_two": lambda _: again(TrustDecision, decided_by=TrustProposal.objects.first().proposed_by),
    "endpoint_over_https_or_a_member": lambda _: again(Endpoint, address="http://desk.example.org/"),
    "one_subscription_a_member": lambda world: [subscribe(world) for _ in range(2)],
    "endpoint_asks_for_something": lambda _: again(Endpoint, kinds=[]),
    "endpoint_switched_off_when": lambda _: again(Endpoint, off_reason="person", switched_at=None),
    "delivery_kind_known": lambda _: again(Delivery, kind="mood.changed"),
    "failures_counted": lambda _: DueDelivery.objects.update(failures=-1),
    "delivered_or_why_not": lambda _: again(Attempt, reason=""),
    "accounts_user_email_key": lambda _: again(User),
    "accounts_organisation_slug_key": lambda _: again(Organisation),
    "accounts_servicekey_digest_key": lambda _: again(ServiceKey),
    "search_unit_known": lambda _: Organisation.objects.update(search_unit="word"),
    "accounts_membertoken_digest_key": lambda _: again(MemberToken),
    "token_scope_known": lambda _: MemberToken.objects.update(scope="write"),
    "token_expires_afterwards": lambda _: MemberToken.objects.update(expires_at=models.F("created_at")),
    "citation_search_known": lambda _: Organisation.objects.update(citation_search="guess"),
    "quotes_known": lambda _: Organisation.objects.update(quotes="some"),
    "one_role_a_member": lambda world: add_member(organisation=world.organisation, user=world.alice.user, role="lead", at=NOW),
    "membership_role_known": lambda _: Membership.objects.update(role="owner"),
    "external_auditor_until_when_and_why": lambda _: Membership.objects.update(is_external=True),
    "one_open_invitation": lambda _: again_of(Invitation.objects.get(ended_at=None)),
    "invitation_role_known": lambda _: Invitation.objects.update(role="owner"),
    "invitation_ended_how": lambda _: Invitation.objects.filter(ended_at=None).update(ended_at=NOW),
    "invitation_external_until_when_and_why": lambda _: Invitation.objects.update(external_reason="the yearly audit"),
    "accounts_invitation_membership_id_key": lambda _: again_of(Invitation.objects.get(ended_as="accepted")),
    "proof_expires_afterwards": lambda world: proof_of(world.alice, expires_at=NOW),
    "used_for_an_act": lambda world: Proof.objects.filter(pk=proof_of(world.alice).pk).update(used_at=NOW),
    "proof_used_while_fresh": lambda world: use_late(proof_of(world.alice)),
    "accounts_signonprovider_organisation_id_key": lambda _: again(SignOnProvider),
    "one_subject_a_member": lambda _: again(SignOnIdentity, subject="another"),
    "one_member_a_subject": lambda world: again(SignOnIdentity, user=world.plan.created_by),
    "one_draft_a_field": lambda _: again(Draft),
    "one_period_a_kind": lambda _: again(RetentionPeriod),
    "kept_for_a_year_at_least": lambda _: RetentionPeriod.objects.update(years=0),
    "one_snapshot_an_external_id": lambda _: again(Snapshot),
    "one_attribution_a_profile": lambda _: again(SnapshotAttribution),
    "snapshots_snapshotdocuments_attribution_id_key": lambda _: again(SnapshotDocuments),
    "one_search_a_number": lambda _: again(CitationSearch),
    "search_method_known": lambda _: again(CitationSearch, number=2, method="guess"),
    "snapshots_citationsearchresult_search_id_key": lambda _: again(CitationSearchResult),
    "search_ended_or_why_not": lambda _: again(CitationSearchResult, reason="it found something", search_id=uuid.uuid4()),
    "found_is_counted": lambda _: again(CitationSearchResult, found_count=0, search_id=uuid.uuid4()),
    "one_support_request_a_number": lambda _: again(SupportRequest),
    "one_judgement_a_citation": lambda _: again(SupportJudgement),
    "judged_or_why_not": lambda _: again(SupportJudgement, number=9, verdict="agrees"),
    "judged_by_a_sentence": lambda _: again(SupportJudgement, number=9, sentence_end=None),
    "judged_from_and_to": lambda _: again(SupportJudgement, number=9, end=0),
    "judgement_cost_counted": lambda _: again(SupportJudgement, number=9, requests=-1),
    "snapshots_supportresult_request_id_key": lambda _: again(SupportResult),
    "support_judged_or_why_not": lambda _: again(SupportResult, reason="it was judged", request_id=uuid.uuid4()),
    "one_row_a_trace": lambda _: again(Trace),
    "trace_ended_or_waiting": lambda _: Trace.objects.update(ended_at=NOW),
    "trace_frozen_as_snapshot": lambda _: Trace.objects.update(state="frozen", ended_at=NOW),
    "item_state_known": lambda _: QueueItem.objects.filter(phase="independent").update(state="lost"),
    "skipped_by_and_why": lambda _: QueueItem.objects.filter(phase="independent").update(state="skipped"),
    "submitted_by_and_at": lambda _: QueueItem.objects.update(submitted_at=NOW, submitted_by=None),
    "aside_once_a_reviewer": lambda _: again(Aside),
    "one_lease_a_slot": lambda _: again(Lease),
    "one_lease_a_holder": lambda _: again(Lease, slot=2),
    "slot_within_overlap": lambda world: again(Lease, slot=3, holder=world.plan.created_by),
    "overlap_is_a_plans": lambda world: QueueItem.objects.filter(pk=world.item.pk).update(overlap=2),
    "item_phase_and_state": lambda world: QueueItem.objects.filter(pk=world.item.pk).update(phase="independent"),
    "one_guide_a_text": lambda _: again(Guide),
    "plan_rule_known": lambda world: world.plan_again(rule="loudest"),
    "audit_is_blind_and_simple": lambda world: world.plan_again(stream="audit", is_blind=False, control_share=0),
    "plan_draws_so_many": lambda world: world.plan_again(size=3),
    "plan_overlap_in_bounds": lambda world: world.plan_again(overlap=6),
    "control_rows_in_blind_plans": lambda world: world.plan_again(is_blind=False),
    "plan_started_by_and_at": lambda world: world.plan_again(started_by=None),
    "plan_ended_by_and_at": lambda world: world.plan_again(state="stopped", ended_at=NOW),
    "plan_state_and_times": lambda world: world.plan_again(state="draft"),
    "review_samplingframe_plan_id_key": lambda _: again(SamplingFrame),
    "drawn_once_a_plan": lambda _: again(PlanItem),
    "probability_in_bounds": lambda world: again(PlanItem, probability=0, item_id=world.item.pk),
    "drawn_in_a_place": lambda world: again(PlanItem, ordinal=-1, item_id=world.item.pk),
    "seeded_once_a_row": lambda _: again(ControlRow),
    "verdict_known": lambda world: world.copy_label(verdict="maybe"),
    "truth_known": lambda world: world.copy_label(truth="perhaps"),
    "verdict_and_truth": lambda world: world.copy_label(truth="none"),
    "misstated_means_used": lambda world: world.copy_label(verdict="misstated", truth="not_used", is_misstated=True),
    "citation_verdict_known": lambda _: again(CitationLabel, verdict="maybe"),
    "cited_from_and_to": lambda _: again(CitationLabel, end=None),
    "claim_verdict_known": lambda _: again(UnsupportedClaim, verdict="maybe"),
    "claim_from_and_to": lambda _: again(UnsupportedClaim, end=0),
    "citation_repeat_counted": lambda _: again(CitationLabel, repeat=-1),
    "one_submission_a_reviewer": lambda _: again(Submission),
    "one_submission_a_slot": lambda world: again(Submission, reviewer=world.plan.created_by),
    "one_counted_name": lambda _: again(CountedName),
    "one_tally_a_shard": lambda _: again(Tally),
    "one_combination_a_scope": lambda _: again(SeenCombination),
    "calibration_seencombination_active_id_key": lambda world: again_of(world.standing.active.active_in, prompt_version="another"),
    "calibration_calibrationprofile_labels_id_key": among_profiles(CalibrationProfile, name="cp_another", labels=None),
    "one_profile_a_name": among_profiles(CalibrationProfile),
    "profile_depth_known": among_profiles(CalibrationProfile, name="cp_another", depth="deep"),
    "changed_of_compared": among_profiles(Comparison, changed_count=1_000),
    "calibration_profiledecision_profile_id_key": among_profiles(ProfileDecision),
    "decided_on_what": lambda world: decide_again(world, comparison=None),
    "approved_by_somebody_else": lambda world: decide_again(world, decided_by=world.standing.lead.user),
    "calibration_retirement_profile_id_key": lambda world: [world.retire(reason="fell") for _ in range(2)],
    "imported_once": lambda world: again_of(bring(world.organisation)),
    "origin_known": lambda world: again_of(bring(world.organisation), origin="hearsay", digest=b"0" * 32),
    "imported_from_somewhere": lambda world: again_of(bring(world.organisation), source="", digest=b"0" * 32),
    "suspended_once_an_alarm": lambda world: again_of(world.suspend()),
    "suspended_because": lambda world: again_of(world.suspend(), because="", alarm=uuid.uuid4()),
    "suspended_by_an_alarm_or_somebody": lambda world: again_of(world.suspend(), alarm=None),
    "only_an_active_one_is_suspended": lambda world: SeenCombination.objects.filter(suspension=world.suspend()).update(active=None),
    "calibration_lifting_suspension_id_key": lambda world: again_of(world.lift()),
    "lifted_with_a_reason": lambda world: again_of(world.lift(), reason=""),
    "judged_of_total": lambda world: again_of(world.judge(), done=9, finished_at=NOW),
    "one_judge_at_a_time": lambda world: again_of(world.judge()),
    "judged_once_a_run": lambda world: (label_one(world.judge()), again(JudgeLabel)),
    "background_task_known": lambda world: again_of(world.ask_fit(), kind="guess", finished_at=NOW),
    "background_task_done_of_total": lambda world: again_of(world.ask_fit(), done=1, finished_at=NOW),
    "compared_is_named": lambda world: again_of(world.ask_fit(), kind="compare"),
    "one_fit_at_a_time": lambda world: again_of(world.ask_fit()),
    "calibration_recomputation_profile_id_key": lambda world: again_of(world.standing.recompute()),
    "done_of_total": lambda world: again_of(world.standing.recompute(), profile=world.standing.proposed, done=9),
    "replaced_or_why_not": lambda world: world.retire(reason=""),
    "one_total_a_day": lambda _: again(DayTotal),
    "one_watch_a_figure": lambda _: again(Watch),
    "watched_figure_known": lambda _: Watch.objects.update(figure="mood"),
    "level_is_a_share": lambda _: Watch.objects.update(rate=2),
    "one_alarm_a_day": lambda _: again(Alarm),
    "alarm_figure_known": lambda _: again(Alarm, figure="mood"),
    "alarm_rate_is_a_share": lambda _: again(Alarm, figure="repaired", rate=2),
    "quality_acknowledgement_alarm_id_key": lambda _: again(Acknowledgement),
    "acknowledged_with_a_reason": lambda _: again(Acknowledgement, reason=""),
    "decided_row_known": lambda _: again(Decision, source="a source"),
    "decided_from_and_to": lambda _: again(Decision, **CITED_ONE, start=3),
    "decided_verdict_known": lambda _: again(Decision, **CITED_ONE | {"verdict": "correct"}),
    "decided_with_a_reason": lambda _: again(Decision, reason=""),
    "flagged_place_known": lambda _: again(Flag, finding="unknown"),
    "one_flag_a_request": lambda _: [again(Flag, request=uuid.UUID(int=1)) for _ in range(2)],
    "review_flagresolution_flag_id_key": lambda _: again(FlagResolution),
    "resolved_with_a_note": lambda _: again(FlagResolution, note=""),
    "comment_has_words": lambda _: again(Comment, text=""),
    "one_comment_a_request": lambda _: [again(Comment, request=uuid.UUID(int=1)) for _ in range(2)],
    "view_has_a_name": lambda _: again(SavedView, name="", replaces=None),
    "only_a_saved_view_is_removed": lambda _: again(SavedView, is_removed=True, replaces=None),
    "review_savedview_replaces_id_key": lambda _: again_of(SavedView.objects.get(name="Mine")),
    "mentioned_once_a_comment": lambda _: again(Mention),
    "reopened_once_a_round": lambda _: again(Reopening),
    "reopened_after_the_first": lambda _: again(Reopening, round=1),
    "reopened_with_a_reason": lambda _: again(Reopening, round=3, reason=""),
    "signed_once": lambda _: again(Signature, proof=used_proof(Signature.objects.first().signer_id)),
    "signed_once_a_proof": lambda _: again(Signature, meaning="approved", digest=b"0" * 32),
    "meaning_known": lambda _: again(Signature, meaning="liked"),
    "signed_by_name_in_a_zone": lambda _: again(Signature, meaning="approved", printed_name=""),
    "signed_object_known": lambda _: again(Signature, meaning="approved", object_id=uuid.uuid4()),
    "redaction_basis_known": lambda _: again(Redaction, basis="whim"),
    "redaction_of_something_and_why": lambda _: again(Redaction, reason=""),
    "ledger_redactiondecision_redaction_id_key": lambda _: again(RedactionDecision),
    "redaction_takes_two": decide_alone,
    "only_an_approved_one_touches": lambda _: again(RedactionDecision, outcome="declined", redaction=undecided()),
    "hold_covers_one_thing": lambda _: again(Hold, since=NOW.date()),
    "hold_from_and_to": lambda _: again(Hold, kind="period", reference="", since=NOW.date(), until=NOW.date() - timedelta(days=1)),
    "held_with_a_reason": lambda _: again(Hold, reason=""),
    "lift_proposed_with_a_reason": lambda _: again(LiftProposal, reason=""),
    "review_liftdecision_proposal_id_key": lambda _: again(LiftDecision, outcome="declined"),
    "lifting_takes_two": lambda _: again(LiftDecision, decided_by=LiftProposal.objects.first().proposed_by),
    "hold_lifted_once": lift_again,
    "exported_for_a_reason": lambda _: again(Export, reason=""),
    "reports_exportresult_export_id_key": lambda _: again(ExportResult),
    "export_made_or_why_not": lambda _: again(ExportResult, reason="it was made", export_id=uuid.uuid4()),
    "one_chunk_a_number": lambda _: again(ExportChunk),
    "ledger_log_origin_key": lambda _: again(Log, epoch=2),
    "one_log_an_epoch": lambda _: again(Log, origin="another"),
    "one_leaf_an_index": lambda _: again(Leaf),
    "one_node_a_place": lambda _: again(Node),
    "one_root_a_size": lambda _: again(Checkpoint),
}


@pytest.fixture(scope="module")
def made(one_transaction) -> World:
    return World()


@pytest.fixture
def world(made, undone) -> World:
    return made


def _holds_primary_key(model: type[models.Model], constraint: models.BaseConstraint) -> bool:
    return isinstance(constraint, models.UniqueConstraint) and model._meta.pk.name in constraint.fields


def declared_constraints() -> set[str]:
    """The names of all constraints that the models declare, and of their unique columns.

    But for those over a primary key and more, which are there for foreign keys to refer to: the primary key refuses sooner.
    """
    named = {constraint.name for model in OURS for constraint in model._meta.constraints if not _holds_primary_key(model, constraint)}
    unique = {
        f"{model._meta.db_table}_{field.column}_key"
        for model in OURS
        for field in model._meta.local_fields
        if field.unique and not field.primary_key
    }
    return named | unique


def test_every_constraint_is_violated_here():
    assert set(VIOLATIONS) == declared_constraints()


@pytest.mark.parametrize("name", VIOLATIONS)
def test_the_database_refuses_what_a_constraint_forbids(world, name):
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        VIOLATIONS[name](world)

    assert refused.value.__cause__.diag.constraint_name.startswith(name)


def paired_fields() -> list[tuple[type[models.Model], str, str]]:
    """Fields that only make sense together: ``x_by`` and ``x_at`` of one model, both of which may be empty."""
    pairs = []
    for model in OURS:
        names = {field.name: field for field in model._meta.local_fields}
        for name, field in names.items():
            partner = names.get(name.removesuffix("_by") + "_at")
            if name.endswith("_by") and partner is not None and field.null and partner.null:
                pairs.append((model, name, partner.name))
    return pairs


def test_paired_fields_are_found():
    assert {(model.__name__, *names) for model, *names in paired_fields()} == {
        ("QueueItem", "submitted_by", "submitted_at"),
        ("Plan", "started_by", "started_at"),
        ("Plan", "ended_by", "ended_at"),
    }


PLAN_STATES = {
    ("started_by", True): "running",
    ("started_by", False): "draft",
    ("ended_by", True): "stopped",
    ("ended_by", False): "running",
}
"""In which a plan may have been started, or have ended; its rows do not change, so others are written."""


@pytest.mark.parametrize(("model", "by", "at"), paired_fields())
@pytest.mark.parametrize(("has_by", "has_at"), list(itertools.product([True, False], repeat=2)))
def test_paired_fields_are_both_there_or_both_empty(world, model, by, at, has_by, has_at):
    changes = {by: world.alice.user if has_by else None, at: NOW if has_at else None}

    def write() -> None:
        if model is Plan:
            world.plan_again(**changes, state=PLAN_STATES[by, has_at])
        else:
            assert model.objects.update(**changes)

    if has_by == has_at:
        write()
    else:
        with pytest.raises(IntegrityError), transaction.atomic():
            write()


@pytest.mark.parametrize("model", OURS)
def test_nothing_of_an_organisation_goes_without_it(model):
    names = {field.name for field in model._meta.local_fields}

    elsewhere = (User, Organisation, Profile, Hurdle, KeyUse, TokenUse, LogKey, Leaf, Node, Checkpoint)
    assert names & {"organisation", "organisation_id"} or model in elsewhere, (
        "A person belongs to several, profile and hurdle to none, a use to a key or token, what a log is made of to the log; "
        "everything else names its own."
    )


@pytest.mark.parametrize("model", OURS)
def test_a_foreign_key_never_takes_rows_with_it(model):
    cascades = [field.name for field in model._meta.local_fields if field.remote_field and field.remote_field.on_delete is models.CASCADE]

    assert cascades == []


def test_a_secret_belongs_to_one_event(world):
    secret = EventSecret.objects.first()

    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        EventSecret(event_id=secret.event_id, organisation_id=secret.organisation_id, salt_seed=b"x" * 32).save(force_insert=True)

    assert isinstance(refused.value.__cause__, psycopg.errors.UniqueViolation)


def test_a_profile_is_named_by_its_data(world):
    profiles = list(Profile.objects.all())

    assert profiles
    assert all(profile.pk.partition("-")[2] in hashlib.sha256(bytes(profile.document)).hexdigest() for profile in profiles)

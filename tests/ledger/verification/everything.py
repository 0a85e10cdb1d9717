"""An organisation in which everything was done that the site can do."""

from __future__ import annotations

from datetime import timedelta

from reviewers.accounts.actions import note_second_factor, switch_citation_search
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.members.actions import accept_with_new_account, invite
from reviewers.accounts.members.tokens import Because, end_token
from reviewers.accounts.models import SearchWay, ServiceKey
from reviewers.accounts.retention import set_period
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, remove_provider, set_provider
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.sequencer import change_key
from reviewers.quality.alarms import acknowledge
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.legal_holds.actions import lift, propose_lift
from reviewers.review.models import CitationVerdict, Flag, HoldKind, Verdict
from reviewers.review.queue.saved_views import change_view
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import resolve_flag
from reviewers.snapshots.versions import actions as versions
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import TRUST_TABLES
from reviewers.webhooks.actions import choose_mail, send_again, switch_endpoint
from reviewers.webhooks.models import EventKind
from tests.accounts.tokens import program_of_member, token_of
from tests.calibration.standing import Standing
from tests.factories import (
    CITED,
    NOW,
    choose,
    choose_finding,
    claim_words,
    flag_finding,
    make_item,
    make_key,
    make_member,
    without_proofs,
)
from tests.ledger.sealed import seal_now, write_events
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.holds.held import make_hold
from tests.review.listed import make_view
from tests.review.plans.planning import make_plan, run_blind
from tests.review.redacting.redactable import redact_twice
from tests.review.signed import sign_as_it_stands
from tests.snapshots.judged import judge_here
from tests.snapshots.schemas import schema_text
from tests.snapshots.schemas import upload as upload_schema
from tests.snapshots.searches import make_searched, run_all
from tests.snapshots.trust_tables import write_table
from tests.webhooks.endpoints import make_delivery


def do_everything(organisation) -> None:
    """At least two rows in each table, each written as the site writes it."""
    alice, bob = make_member(organisation), make_member(organisation, name="Bob Birch")
    for member in (alice, bob):
        item = make_item(organisation)
        for note in ("look", "again"):
            flag_finding(choice=choose_finding(item, "over_cited"), note=note, by=member, now=NOW)
        actions.save_label(choice=choose(item), verdict=Verdict.WRONG, note="no", by=member, now=NOW)
        actions.label_remaining(item_id=item.pk, by=member, now=NOW)
        actions.submit(item_id=item.pk, by=member, now=NOW)
        sign_as_it_stands(item, member)
        cited = make_item(organisation, **CITED, completeness={"safety": 0.5}, completeness_threshold=0.25)
        choice = RowChoice(cited.pk, cited.attribution_id, 0)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, note="yes", by=member, now=NOW)
        make_searched(organisation)
        alarm = make_alarm(organisation, model=member.user.name)
        acknowledge(alarm_id=alarm.pk, reason=f"{member.user.name} knows", by=member, now=NOW)
    run_all()
    for name in ("one", "two"):
        for _ in range(3):
            make_item(organisation, model=name)
        run_blind(make_member(organisation, "lead"), candidates={"facets": {"model": [name]}}, control_share=0.5, guide=f"Look {name}.")
    for note in ("here", "there"):
        conflict, lead = make_conflict(organisation, note), make_member(organisation, "lead")
        decide_all(conflict, lead)
        reopen(item_id=conflict.pk, reason=f"look {note}", by=lead, now=NOW)
    for member in (alice, bob):
        actions.skip(item_id=make_item(organisation).pk, reason="not mine", by=member, now=NOW)
    talk(organisation, alice, bob)
    redact_twice(organisation)
    lift_some(organisation)
    use_schemas(organisation)
    use_trust_tables(organisation)
    use_webhooks(organisation)
    use_tokens(organisation)
    judge_here(organisation)
    for name in ("three", "four"):
        standing = Standing(organisation, name)
        standing.fill()
        standing.retire()
    without_proofs(alice).post("/queue/search/", {"words": "somebody soon"}, follow=True)
    for form in ("csv", "jsonl"):
        make_export(make_member(organisation, "auditor"), form)
    switch_citation_search(organisation=organisation, to=SearchWay.OFF, at=NOW, by=SYSTEM)
    make_key(organisation)
    change_accounts(organisation)
    sign_on_by(organisation, alice, bob)
    write_events(organisation.pk, 256)
    seal_now(organisation.pk)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    change_key(organisation_id=organisation.pk, by=SYSTEM, now=NOW)
    make_item(organisation)


def talk(organisation, alice, bob) -> None:
    """Flags that a lead resolves, views that are renamed, and comments that mention a colleague."""
    lead = make_member(organisation, "lead")
    for member, name in ((alice, "Mona Reed"), (bob, "Nils Wren")):
        make_member(organisation, name=name)
        flag = Flag.objects.filter(reviewer=member.user_id).first()
        resolve_flag(item_id=flag.snapshot_id, flag_id=flag.pk, note="seen", by=lead, now=NOW)
        claim_words(flag.snapshot.item, member, note="nowhere", reason="seen late")
        change_view(view_id=make_view(member).pk, name="Mine", is_shared=False, by=member, now=NOW)
        write_comment(item_id=flag.snapshot_id, text=f"@{name}, look at this", by=member, now=NOW)


def change_accounts(organisation) -> None:
    """Members who were invited, periods, a second factor."""
    for email in ("ina@example.org", "ira@example.org"):
        invitation = invite(organisation=organisation, email=f"{organisation.slug}-{email}", role="auditor", at=NOW, by=SYSTEM)
    member = accept_with_new_account(invitation=invitation, name="Ira Ives", password="a long password of hers", at=NOW)
    note_second_factor(member=member, at=NOW)
    invite(organisation=organisation, email=f"{organisation.slug}@example.org", role="lead", at=NOW, by=SYSTEM)
    for kind, years in (("answers", 7), ("reviews", 8)):
        set_period(organisation=organisation, kind=kind, years=years, at=NOW, by=SYSTEM)


def sign_on_by(organisation, one, other) -> None:
    """A provider that was removed, one that another replaced, and that one, which was set again for other domains."""

    def trust(client, *domains):
        names = tuple(f"{domain}.{organisation.slug}.example" for domain in domains)
        return set_provider(
            organisation=organisation, terms=ProviderSettings("North", "https://login.example", client, "known", names), at=NOW
        )

    for client in ("removed", "replaced"):
        provider = trust(client, "first", "second")
        for member in (one, other):
            link_identity(provider=provider, user=member.user, subject=f"subject of {member.pk}", at=NOW, by=SYSTEM)
        if client == "removed":
            remove_provider(organisation=organisation, at=NOW)
    provider = trust("kept", "second")
    link_identity(provider=provider, user=one.user, subject=f"subject of {one.pk}", at=NOW, by=SYSTEM)
    trust("kept", "second", "third")


def use_schemas(organisation) -> None:
    """Versions that people and programs uploaded: two that answers use, and one that is declined."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Sella Schema", "Siri Second"))
    for by, second, hours in ((lead, other, 1), (other, lead, 2)):
        text = schema_text(f"version {hours}")
        schema = upload_schema(by, text)
        versions.propose(SCHEMAS, version_id=schema.pk, by=by, now=NOW + timedelta(minutes=hours))
        versions.approve(SCHEMAS, version_id=schema.pk, by=second, now=NOW + timedelta(hours=hours))
        make_item(organisation, schema_version=f"version {hours}")
        make_key(organisation)
        key = ServiceKey.objects.filter(organisation=organisation).latest("created_at")
        versions.write(SCHEMAS, content=schema_text(f"sent {hours}").encode(), by=key, now=NOW + timedelta(days=hours))
    schema = upload_schema(lead, schema_text("declined"))
    versions.propose(SCHEMAS, version_id=schema.pk, by=lead, now=NOW)
    versions.decline(SCHEMAS, version_id=schema.pk, by=other, now=NOW)


def use_webhooks(organisation) -> None:
    """An endpoint that was switched off and on, a delivery that was sent once and waits to be sent again; mail that was chosen twice."""
    delivery, admin = make_delivery(organisation), make_member(organisation, "administrator")
    for kinds in ([EventKind.ALARM], [EventKind.PLAN, EventKind.VERIFICATION], []):
        choose_mail(kinds=kinds, is_daily=len(kinds) == 1, by=admin, now=NOW)
    for on in (False, True):
        switch_endpoint(endpoint_id=delivery.endpoint_id, on=on, by=admin, now=NOW)
    send_again(delivery_id=delivery.pk, by=admin, now=NOW)


def use_tokens(organisation) -> None:
    """Two tokens of a member, of which one has ended."""
    member = make_member(organisation, "lead", "Tara Token")
    token, _ = token_of(member)
    end_token(token=token, because=Because.ASKED, at=NOW, by=user_actor(member.user_id))
    program_of_member(member).get("/api/v1/items")


def use_trust_tables(organisation) -> None:
    """Two tables that answers were judged under, and one that is declined."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Tilda Trust", "Tycho Two"))
    for by, second, hours in ((lead, other, 1), (other, lead, 2)):
        table = write_table(by, f"guild.example, {hours}, our own handbook")
        versions.propose(TRUST_TABLES, version_id=table.pk, by=by, now=NOW + timedelta(minutes=hours))
        versions.approve(TRUST_TABLES, version_id=table.pk, by=second, now=NOW + timedelta(hours=hours))
        make_item(organisation, **CITED)
    table = write_table(lead, "# declined")
    versions.propose(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)
    versions.decline(TRUST_TABLES, version_id=table.pk, by=other, now=NOW)


def lift_some(organisation) -> None:
    """Holds of each kind; two of them are lifted."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Hetty Hold", "Lars Lift"))
    for by, second, days in ((lead, other, 1), (other, lead, 2)):
        plan = make_plan(by)
        make_hold(by, HoldKind.PLAN, plan_id=plan.pk)
        make_hold(by, HoldKind.PERIOD, since=NOW.date() + timedelta(days=days), until=NOW.date() + timedelta(days=days + 7))
        hold = make_hold(by, reference=f"client-held-{days}")
        propose_lift(hold_id=hold.pk, reason=f"settled {days}", by=by, now=NOW + timedelta(minutes=days))
        lift(hold_id=hold.pk, by=second, now=NOW + timedelta(hours=days))

"""What may never be in the database is refused by the database: each constraint is violated once, and none is forgotten."""

from __future__ import annotations

import hashlib
import itertools
import uuid
from collections.abc import Callable

import psycopg
import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from reviewers.accounts.actions import add_member
from reviewers.accounts.models import Membership, Organisation, ServiceKey, User
from reviewers.ledger.models import EventSecret
from reviewers.review import actions
from reviewers.review.models import Label, Lease, QueueItem, Submission, Tally, Verdict
from reviewers.snapshots.models import Profile, Snapshot, SnapshotAttribution, SnapshotDocuments
from tests.factories import CITED, NOW, choose, make_item, make_key, make_member, make_organisation

OURS = [model for model in apps.get_models() if model.__module__.startswith("reviewers.")]


class World:
    """One of everything."""

    def __init__(self) -> None:
        self.organisation = make_organisation()
        self.alice = make_member(self.organisation)
        self.item = make_item(self.organisation)
        make_key(self.organisation)
        self.label = actions.save_label(choice=choose(self.item), verdict=Verdict.CORRECT, by=self.alice, now=NOW).labels[-1]
        actions.label_remaining(item_id=self.item.pk, by=self.alice, now=NOW)
        actions.submit(item_id=self.item.pk, by=self.alice, now=NOW)
        actions.take(item_id=make_item(self.organisation, **CITED).pk, by=self.alice, now=NOW)

    def copy_label(self, **changes: object) -> None:
        label = Label.objects.get(pk=self.label.id)
        label.pk = uuid.uuid4()
        for name, value in changes.items():
            setattr(label, name, value)
        label.save(force_insert=True)


def again(model: type[models.Model], **changes: object) -> None:
    """Insert a row that is there already, under another primary key."""
    row = model.objects.first()
    row.pk = uuid.uuid4() if isinstance(row.pk, uuid.UUID) else None
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(force_insert=True)


VIOLATIONS: dict[str, Callable[[World], object]] = {
    "accounts_user_email_key": lambda _: again(User),
    "accounts_organisation_slug_key": lambda _: again(Organisation),
    "accounts_servicekey_digest_key": lambda _: again(ServiceKey),
    "one_role_a_member": lambda world: add_member(organisation=world.organisation, user=world.alice.user, role="lead", at=NOW),
    "membership_role_known": lambda _: Membership.objects.update(role="owner"),
    "one_snapshot_an_external_id": lambda _: again(Snapshot),
    "one_attribution_a_profile": lambda _: again(SnapshotAttribution),
    "snapshots_snapshotdocuments_attribution_id_key": lambda _: again(SnapshotDocuments),
    "item_state_known": lambda _: QueueItem.objects.update(state="lost"),
    "skipped_by_and_why": lambda _: QueueItem.objects.update(state="skipped"),
    "submitted_by_and_at": lambda _: QueueItem.objects.update(submitted_at=NOW, submitted_by=None),
    "one_lease_a_slot": lambda _: again(Lease),
    "one_slot_an_item": lambda _: again(Lease, slot=2),
    "verdict_known": lambda world: world.copy_label(verdict="maybe"),
    "truth_known": lambda world: world.copy_label(truth="perhaps"),
    "verdict_and_truth": lambda world: world.copy_label(truth="none"),
    "misstated_means_used": lambda world: world.copy_label(verdict="misstated", truth="not_used", is_misstated=True),
    "one_submission_a_reviewer": lambda _: again(Submission),
    "one_tally_a_shard": lambda _: again(Tally),
}


@pytest.fixture
def world(db) -> World:
    return World()


def declared_constraints() -> set[str]:
    """The names of all constraints that the models declare, and of their unique columns."""
    named = {constraint.name for model in OURS for constraint in model._meta.constraints}
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
    assert [(model.__name__, *names) for model, *names in paired_fields()] == [("QueueItem", "submitted_by", "submitted_at")]


@pytest.mark.parametrize(("model", "by", "at"), paired_fields())
@pytest.mark.parametrize(("has_by", "has_at"), list(itertools.product([True, False], repeat=2)))
def test_paired_fields_are_both_there_or_both_empty(world, model, by, at, has_by, has_at):
    changes = {by: world.alice.user if has_by else None, at: NOW if has_at else None}

    if has_by == has_at:
        assert model.objects.update(**changes)
    else:
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.update(**changes)


@pytest.mark.parametrize("model", OURS)
def test_nothing_of_an_organisation_goes_without_it(model):
    names = {field.name for field in model._meta.local_fields}

    assert names & {"organisation", "organisation_id"} or model in (User, Organisation, Profile, Lease), (
        "A person belongs to several organisations, a profile to none, a lease to an item; everything else names its organisation."
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
    profile = Profile.objects.get()

    assert profile.pk.partition("-")[2] in hashlib.sha256(bytes(profile.document)).hexdigest()

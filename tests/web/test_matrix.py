"""Who may do what: every person, every address, every method, each cell asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import create_service_key
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, MemberToken, Role, Scope, ServiceKey, TokenScope, User
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.review.labels.actions import label_remaining
from reviewers.review.models import FlagKind, QueueItem
from reviewers.review.talk.flags import FlagChoice, put_flag
from tests.accounts.invited import invite_one
from tests.accounts.tokens import program_of_member, token_of
from tests.calibration.judged import make_run
from tests.calibration.standing import Standing
from tests.events import last_event
from tests.factories import BOTH, NOW, PASSWORD, label, make_item, make_member, make_organisation, sign_in
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import make_conflict
from tests.review.holds.held import make_hold, make_lifting
from tests.review.listed import make_view
from tests.review.plans.planning import make_plan
from tests.review.redacting.redactable import make_proposal
from tests.review.signed import make_signed
from tests.sampling import chance
from tests.snapshots.schemas import make_schema, schema_text
from tests.snapshots.searches import fail_search, turn_on
from tests.snapshots.trust_tables import make_table
from tests.web.endpoints import (
    ENDPOINTS,
    METHODS,
    NOWHERE,
    OF_LEADS,
    PUBLIC,
    READ_BY_TOKENS,
    Address,
    addresses,
    find_address,
    guarded_addresses,
)
from tests.web.forms import valid_body, valid_form
from tests.webhooks.endpoints import make_delivery

DONE = {"GET": {200, 302}, "POST": {200, 302}}
REACHED = {
    "ask_for_support": {409},
    "ask_judge": {404},
    "import_labels": {422},
    "lift_suspension": {409},
    "take_back_claim": {422},
    "transfer_profile": {404},
}
REACHED |= {"make_token": {409}, "end_token": {404}}
"""Statuses for permitted viewers where this world lacks something that the act needs; ``tests/ledger/deeds.py`` has them succeed."""
SECRET_HOLDERS = {"no key": 401, "a wrong key": 401, "a revoked key": 401, "a key with another scope": 403}
TOKEN_HOLDERS = {"no token": 401, "a wrong token": 401, "an ended token": 401, "a token that reads": 403, "a service key": 403}


class World:
    """An organisation with an item that this reviewer may label, a key, and another organisation beside it."""

    def __init__(self) -> None:
        self.organisation = make_organisation()
        self.item = make_item(self.organisation, **BOTH, provider="Ada Quill")
        turn_on(self.organisation)
        fail_search(self.item)
        make_item(self.organisation)
        self.redaction = make_proposal(self.item)
        self.hold = make_lifting(self.organisation).hold
        self.free_hold = make_hold(make_member(self.organisation, Role.LEAD))
        self.schema = make_schema(self.organisation)
        self.free_schema = make_schema(self.organisation, schema_text("free"), is_proposed=False)
        self.table = make_table(self.organisation)
        self.free_table = make_table(self.organisation, "# free", is_proposed=False)
        self.alarm = make_alarm(self.organisation)
        self.plan = make_plan(make_member(self.organisation, Role.LEAD))
        self.case = make_conflict(self.organisation)
        self.member = make_member(self.organisation, Role.ADMINISTRATOR, "Ines Ixworth")
        self.auditor = make_member(self.organisation, Role.AUDITOR, "Audra Ashe")
        self.owner = self.member.user
        self.key = self.make_key(Scope.INGEST)[0]
        self.export = make_export(self.auditor)
        choice = FlagChoice(self.item.pk, self.item.attribution_id, FlagKind.ROW)
        self.flag = put_flag(choice=choice, note="look", by=make_member(self.organisation), now=NOW)
        self.signature = make_signed(make_member(self.organisation, Role.REVIEWER, "Rosa Rowe"))
        self.standing = Standing(self.organisation)
        self.standing.label_enough()
        self.run = make_run(make_member(self.organisation, Role.LEAD))
        self.invitation = invite_one(self.organisation)
        self.delivery = make_delivery(self.organisation)
        self.view = make_view(make_member(self.organisation, Role.LEAD), is_shared=True)
        self.token = token_of(make_member(self.organisation, Role.LEAD, "Lena Ladd"))[0]

    def make_key(self, *scopes: Scope) -> tuple[ServiceKey, str]:
        return create_service_key(organisation=self.organisation, owner=self.owner, name="runtime", scopes=scopes, at=NOW, by=SYSTEM)

    def ids(self, name: str = "") -> dict[str, Any]:
        ids = {"item_id": self.item.pk, "key_id": self.key.pk, "snapshot_id": self.item.pk, "event_id": last_event(self.organisation)}
        ids |= {"plan_id": self.plan.pk, "signature_id": self.signature.pk, "redaction_id": self.redaction.pk}
        ids |= {"schema_id": (self.free_schema if name == "propose_schema" else self.schema).pk}
        ids |= {"table_id": (self.free_table if name == "propose_trust_table" else self.table).pk}
        ids |= {"endpoint_id": self.delivery.endpoint_id, "delivery_id": self.delivery.pk}
        ids |= {"hold_id": (self.free_hold if name == "propose_lift" else self.hold).pk, "invitation_id": self.invitation.pk}
        ids |= {"flag_id": self.flag.pk, "token_id": self.token.pk, "view_id": self.view.pk}
        ids |= {"alarm_id": self.alarm.pk, "export_id": self.export.pk, "case_id": self.case.pk, "run_id": self.run.pk}
        member = self.auditor if name == "mark_external" else self.member
        return ids | {"member_id": member.pk, "organisation_id": self.organisation.pk} | self.standing.ids_for(name)

    def status_of(self, client: Client, address: Address, method: str) -> int:
        """Return the status of a request that lacks nothing but perhaps the right, and undo its effects."""
        form = valid_form(address.name, self.item) if hasattr(address.view, "permission") and "POST" in ENDPOINTS[address.name][1] else {}
        with transaction.atomic():
            status = client.generic(method, address.path(**self.ids(address.name)), **_body(form)).status_code
            transaction.set_rollback(True)
        return status


def _body(form: Any) -> dict[str, Any]:
    return {"data": urlencode(form), "content_type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def made(one_transaction) -> World:
    return World()


@pytest.fixture
def world(made, undone) -> World:
    return made


def test_every_address_has_a_line_in_the_table_and_every_line_an_address():
    names = [address.name for address in addresses() if address.name not in NOWHERE]

    assert sorted(names) == sorted(ENDPOINTS), "Say in tests/web/endpoints.py who may use the new address, and by which methods."


def test_a_view_asks_for_the_permission_that_the_table_says():
    assert {each.name: each.view.permission for each in guarded_addresses()} == {
        each.name: ENDPOINTS[each.name][0] for each in guarded_addresses()
    }


def test_only_views_for_people_have_a_permission():
    unguarded = [address.name for address in addresses() if not hasattr(address.view, "permission")]

    assert sorted(unguarded) == sorted([*NOWHERE, *(name for name, (access, _) in ENDPOINTS.items() if not isinstance(access, Permission))])


def test_every_permission_is_asked_for_somewhere():
    asked = {access for access, _ in ENDPOINTS.values() if isinstance(access, Permission)}

    assert asked == set(Permission)


def check_cells(world: World, client: Client, expected: Callable[[Address, str], set[int]], chosen: list[Address]) -> None:
    """Try the method of every address and compare all cells at once."""
    wrong = {}
    for address in chosen:
        for method in ENDPOINTS[address.name][1]:
            statuses = expected(address, method)
            status = world.status_of(client, address, method)
            if status not in statuses:
                wrong[f"{method} {address.name}"] = f"{status}, not one of {sorted(statuses)}"
    assert wrong == {}


def enter_as(world: World, person: str) -> Client:
    """The browser of somebody of a role, or of nobody."""
    return sign_in(make_member(world.organisation, person)) if person else Client()


def drawn(options: Callable[[Address], Sequence[str]], purpose: str = "") -> dict[str, list[Address]]:
    """Each address that asks for a permission with one of its options, drawn by chance, if it has any."""
    chosen: dict[str, list[Address]] = {}
    for address in guarded_addresses():
        if several := options(address):
            chosen.setdefault(chance(purpose, address.name).choice(several), []).append(address)
    return chosen


@contextmanager
def undone_at_once() -> Iterator[None]:
    """Undo what is done inside, as between two tests."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def other_methods(address: Address) -> list[str]:
    return [] if address.name in NOWHERE else [method for method in METHODS if method not in ENDPOINTS[address.name][1]]


@pytest.mark.exhaustive
@pytest.mark.parametrize("person", ["", *Role])
def test_every_other_method_is_refused_to_everybody(world, person):
    client = enter_as(world, person)
    statuses = {
        (method, address.name): world.status_of(client, address, method) for address in addresses() for method in other_methods(address)
    }

    assert {cell: status for cell, status in statuses.items() if status != 405} == {}


def test_another_method_is_refused_at_every_address(world):
    """One of the methods and one of the people for each address, drawn by chance."""
    clients = {person: enter_as(world, person) for person in ["", *Role]}
    statuses = {}
    for address in addresses():
        if methods := other_methods(address):
            by_chance = chance("methods", address.name)
            person, method = by_chance.choice(list(clients)), by_chance.choice(methods)
            statuses[person, method, address.name] = world.status_of(clients[person], address, method)

    assert {cell: status for cell, status in statuses.items() if status != 405} == {}


def check_role(world: World, role: str, chosen: list[Address]) -> None:
    """Try addresses as somebody of a role, who has labelled something that they can undo."""
    client = sign_in(make_member(world.organisation, role))
    if role in (Role.REVIEWER, Role.LEAD):
        label(client, world.item, 0)
        label(client, world.item, 1)
        client.post(f"/items/{world.item.pk}/label-remaining/")

    def expected(address: Address, method: str) -> set[int]:
        return DONE[method] | REACHED.get(address.name, set()) if may_use(role, address) else {403}

    check_cells(world, client, expected, chosen)


def may_use(role: str, address: Address) -> bool:
    return ENDPOINTS[address.name][0] in ROLE_PERMISSIONS[Role(role)]


def roles_that_may(address: Address) -> list[str]:
    return [role for role in Role if may_use(role, address)]


def roles_that_may_not(address: Address) -> list[str]:
    return [role for role in Role if not may_use(role, address)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("role", Role)
def test_a_role_may_do_what_its_permissions_say_and_no_more(world, role):
    check_role(world, role, guarded_addresses())


@pytest.mark.parametrize("options", [roles_that_may, roles_that_may_not])
def test_an_address_is_open_to_a_role_that_may_use_it_and_to_none_that_may_not(world, options):
    """One of the roles for each address, drawn by chance."""
    for role, chosen in drawn(options).items():
        with undone_at_once():
            check_role(world, role, chosen)


def enter_without_organisation(world: World) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(email="nomad@example.org", name="Nomi Nobody", password=PASSWORD))
    return client


def enter_before_membership_ends(world: World) -> Client:
    member = make_member(world.organisation)
    client = sign_in(member)
    Membership.objects.filter(pk=member.pk).update(ended_at=NOW)
    return client


def enter_before_account_is_closed(world: World) -> Client:
    member = make_member(world.organisation)
    client = sign_in(member)
    User.objects.filter(pk=member.user_id).update(is_active=False)
    return client


def enter_with_key(world: World) -> Client:
    return Client(headers={"Authorization": f"Bearer {world.make_key(*Scope)[1]}"})


OUTSIDERS: Mapping[str, tuple[Callable[[World], Client], int]] = {
    "nobody is sent to sign in": (lambda _: Client(), 302),
    "somebody of no organisation may do nothing": (enter_without_organisation, 403),
    "somebody whose membership has ended may do nothing": (enter_before_membership_ends, 403),
    "a closed account is signed out": (enter_before_account_is_closed, 302),
    "a key opens no page": (enter_with_key, 302),
    "a token opens no page": (lambda world: program_of_member(make_member(world.organisation, Role.LEAD)), 302),
}
"""How each who has no business here comes in, and the status they get everywhere."""


def check_outsider(world: World, kind: str, chosen: list[Address]) -> None:
    enter, status = OUTSIDERS[kind]
    check_cells(world, enter(world), lambda *_: {status}, chosen)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", OUTSIDERS)
def test_of_those_outside_everywhere(world, kind):
    check_outsider(world, kind, guarded_addresses())


def test_of_those_outside_one_by_chance_at_each_address(world):
    for kind, chosen in drawn(lambda _: list(OUTSIDERS), "outside").items():
        with undone_at_once():
            check_outsider(world, kind, chosen)


def test_signing_in_leads_back_to_where_nobody_was_let_in(world):
    for address in guarded_addresses():
        (method,) = ENDPOINTS[address.name][1]
        path = address.path(**world.ids(address.name))

        response = Client().generic(method, path)

        assert (response.status_code, response["Location"]) == (302, f"/accounts/login/?next={path}"), address.name


@pytest.mark.exhaustive
@pytest.mark.parametrize("role", Role)
def test_a_stranger_of_any_role_finds_nothing_by_ids_and_only_the_own_world_elsewhere(world, role):
    check_stranger(world, role, guarded_addresses())


def test_a_stranger_finds_nothing_by_ids_and_only_the_own_world_elsewhere(world):
    """Each address as somebody of one of the roles that may open it, drawn by chance."""
    for role, chosen in drawn(roles_that_may, "stranger").items():
        check_stranger(world, role, chosen)


def check_stranger(world: World, role: str, chosen: list[Address]) -> None:
    """Try addresses as somebody of a role in another organisation."""
    stranger = make_member(make_organisation("Elsewhere Clinic"), role)

    def expected(address: Address, method: str) -> set[int]:
        if not may_use(role, address):
            return {403}
        return {404} if address.takes else DONE[method] | REACHED.get(address.name, set())

    check_cells(world, sign_in(stranger), expected, chosen)


def test_what_is_public_needs_no_sign_in_and_changes_nothing(world):
    public = [address for address in addresses() if ENDPOINTS.get(address.name, ("",))[0] == PUBLIC]

    check_cells(world, Client(), lambda *_: {200}, public)


def test_nothing_is_found_at_the_roots_that_packages_need(client):
    for address in addresses():
        if address.name in NOWHERE:
            assert {client.generic(method, address.path()).status_code for method in METHODS} == {404}


@pytest.mark.parametrize("holder", SECRET_HOLDERS)
def test_the_api_lets_only_keys_with_the_right_scope_in(world, holder):
    for address in addresses():
        scope, methods = ENDPOINTS.get(address.name, ("", ()))
        if isinstance(scope, Scope):
            secret = _secret(world, holder, scope)
            client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else {})
            path = address.path(**world.ids())
            statuses = {method: client.generic(method, path).status_code for method in METHODS}
            assert statuses == {method: SECRET_HOLDERS[holder] if method in methods else 405 for method in METHODS}, address.name


def _secret(world: World, holder: str, scope: Scope) -> str:
    if holder == "no key":
        return ""
    if holder == "a wrong key":
        return "fn_" + "0" * 43
    if holder == "a revoked key":
        key, secret = world.make_key(scope)
        ServiceKey.objects.filter(pk=key.pk).update(revoked_at=NOW)
        return secret
    return world.make_key(*(other for other in Scope if other != scope))[1]


@pytest.mark.parametrize("holder", TOKEN_HOLDERS)
def test_the_api_lets_only_tokens_with_the_right_scope_in(world, holder):
    member = make_member(world.organisation)
    secret = _token(world, holder, member)
    client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else {})
    for address in addresses():
        scope, methods = ENDPOINTS.get(address.name, ("", ()))
        if isinstance(scope, TokenScope):
            path = address.path(**world.ids())
            statuses = {method: client.generic(method, path).status_code for method in METHODS}
            assert statuses == {method: TOKEN_HOLDERS[holder] if method in methods else 405 for method in METHODS}, address.name


def _token(world: World, holder: str, member: Membership) -> str:
    if holder == "a service key":
        return world.make_key(*Scope)[1]
    token, secret = token_of(member, TokenScope.READ if holder == "a token that reads" else TokenScope.LABEL)
    if holder == "an ended token":
        MemberToken.objects.filter(pk=token.pk).update(ended_at=NOW)
    return {"no token": "", "a wrong token": "fnt_" + "0" * 43}.get(holder, secret)


@pytest.mark.parametrize("role", Role)
def test_a_token_may_do_what_its_member_may_and_no_more(world, role):
    """Made while the member was a lead: the role counts at each use."""
    member = make_member(world.organisation, Role.LEAD)
    client = program_of_member(member)
    for act in ("label", "unsupported"):
        path, body = find_address(f"post_{act}").path(item_id=world.item.pk), valid_body(f"post_{act}", world.item)
        assert client.post(path, body, content_type="application/json").status_code == 200
    label_remaining(item_id=world.item.pk, by=member, now=timezone.now())
    Membership.objects.filter(pk=member.pk).update(role=role)
    wrong = {}
    for address in addresses():
        access, methods = ENDPOINTS.get(address.name, ("", ()))
        needed = Permission.LABEL_ITEMS if isinstance(access, TokenScope) else Permission.READ_ITEMS
        needed = Permission.APPROVE_REVIEWS if address.name in OF_LEADS else needed
        if isinstance(access, Scope | TokenScope):
            is_open = isinstance(access, TokenScope) or address.name in READ_BY_TOKENS
            expected = (200 if needed in ROLE_PERMISSIONS[role] else 403) if is_open else 401
            (method,) = methods
            body = valid_body(address.name, world.item)
            with transaction.atomic():
                status = client.generic(method, address.path(**world.ids()), body, content_type="application/json").status_code
                transaction.set_rollback(True)
            if status != expected:
                wrong[address.name] = f"{status}, not {expected}"
    assert wrong == {}


def test_a_session_opens_nothing_of_the_api(world):
    client = sign_in(make_member(world.organisation, Role.ADMINISTRATOR))
    for address in addresses():
        access, methods = ENDPOINTS.get(address.name, ("", ()))
        if isinstance(access, Scope | TokenScope):
            assert {client.generic(method, address.path(**world.ids())).status_code for method in methods} == {401}


def test_every_form_of_another_site_is_refused(world):
    """The token against forged requests is asked for wherever something can be written by a browser; the roles take turns."""
    clients = [sign_in(make_member(world.organisation, role), enforce_csrf_checks=True) for role in Role]
    for address in guarded_addresses():
        if "POST" in ENDPOINTS[address.name][1]:
            assert world.status_of(chance(address.name).choice(clients), address, "POST") == 403, address.name


def test_the_item_of_the_matrix_is_still_to_do_after_all_of_it(world):
    """The matrix undoes each cell: otherwise later cells would be refused for the state of things rather than for the right."""
    client = sign_in(make_member(world.organisation))
    client.post(f"/items/{world.item.pk}/label-remaining/")

    assert world.status_of(client, next(a for a in addresses() if a.name == "submit"), "POST") == 302
    assert QueueItem.objects.get(pk=world.item.pk).state == "to_do"

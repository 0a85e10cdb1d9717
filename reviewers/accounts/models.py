"""Organisations are separate worlds; a person is a member of one or more, with one role in each."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from reviewers.web.models import Identified, TenantLookup, TenantThrough


class Role(models.TextChoices):
    """What a member does in an organisation. The stored values are part of audit events: renaming one needs a migration of meaning."""

    REVIEWER = "reviewer", "Reviewer"
    LEAD = "lead", "Lead"
    COORDINATOR = "coordinator", "Coordinator"
    AUDITOR = "auditor", "Auditor"
    ADMINISTRATOR = "administrator", "Administrator"


class Scope(models.TextChoices):
    """What a service key may do."""

    INGEST = "ingest", "Ingest"
    READ = "read", "Read"


class SearchWay(models.TextChoices):
    """How citations are looked for after an answer came without any. The stored values are part of audit events."""

    OFF = "off", "Off"
    WORDS = "words", "By words"
    MODEL = "model", "By a model"


class UserManager(BaseUserManager["User"]):
    """Makes users."""

    def create_user(self, *, email: str, name: str, password: str | None = None) -> User:
        """A person who can sign in once there is a password."""
        user = self.model(email=self.normalize_email(email).lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser, Identified):
    """A person. ``name`` is the printed name that signatures show; accounts are closed, never deleted or given to another."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_full_name(self) -> str:
        """The printed name."""
        return self.name

    def get_short_name(self) -> str:
        """The printed name."""
        return self.name


class Organisation(Identified, TenantLookup):
    """A world of its own. The switches are operational: they hold from the moment they are changed, and each change is an event.

    ``repairs_answers`` attaches the best evidence to answers that cite nothing; ``citation_search`` looks for citations in them.
    ``open_alarms`` is no switch: it counts the alarms that wait for somebody, so that every page can say so. Nor are
    ``suspended_profiles``: of answers under these the pages show scores.
    """

    organisation_column = "id"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    asks_for_citations = models.BooleanField(default=False)
    requires_second_factor = models.BooleanField(default=False)
    asks_why = models.BooleanField(default=False)
    repairs_answers = models.BooleanField(default=False)
    citation_search = models.CharField(max_length=10, choices=SearchWay, default=SearchWay.OFF)
    open_alarms = models.IntegerField(default=0, db_default=0)
    suspended_profiles = ArrayField(models.CharField(max_length=40), default=list, db_default=[])
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(citation_search__in=SearchWay.values), name="citation_search_known"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(Identified, TenantLookup):
    """A person's role in an organisation. It ends; it is not deleted.

    An auditor may be from outside: protected text is masked for them, and at ``external_until`` the membership opens nothing any more.
    ``signed_in_at`` is when the person last came in here, ``second_factor_at`` when they first did so with a second factor; what they do
    in other organisations is not known here. Sessions that began before ``signed_out_at`` open nothing here any more.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    signed_in_at = models.DateTimeField(null=True)
    second_factor_at = models.DateTimeField(null=True)
    signed_out_at = models.DateTimeField(null=True)
    is_external = models.BooleanField(default=False, db_default=False)
    external_reason = models.CharField(max_length=500, blank=True, default="", db_default="")
    external_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "user"], condition=Q(ended_at=None), name="one_role_a_member"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
            models.CheckConstraint(
                condition=Q(is_external=False, external_reason="", external_until=None)
                | Q(is_external=True, role=Role.AUDITOR, external_until__isnull=False) & ~Q(external_reason=""),
                name="external_auditor_until_when_and_why",
            ),
        ]


class Invitation(Identified, TenantLookup):
    """An offer of a membership, sent to an address. It is no membership: that begins when the owner of the address accepts.

    The link's token is derived from the row and the site's secret key, and stored nowhere. ``ended_as`` says what became of the offer.
    """

    class Outcome(models.TextChoices):
        """What became of an invitation. The stored values are part of audit events."""

        ACCEPTED = "accepted", "Accepted"
        DECLINED = "declined", "Declined"
        WITHDRAWN = "withdrawn", "Withdrawn"
        REPLACED = "replaced", "Replaced by a newer one"

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=20, choices=Role)
    external_reason = models.CharField(max_length=500, blank=True, default="", db_default="")
    external_until = models.DateTimeField(null=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=10, choices=Outcome, blank=True, default="", db_default="")
    membership = models.OneToOneField(Membership, null=True, on_delete=models.PROTECT, related_name="invitation")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "email"], condition=Q(ended_at=None), name="one_open_invitation"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_known"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_as="", membership=None)
                | Q(ended_at__isnull=False, ended_as="accepted", membership__isnull=False)
                | Q(ended_at__isnull=False, ended_as__in=["declined", "withdrawn", "replaced"], membership=None),
                name="invitation_ended_how",
            ),
            models.CheckConstraint(
                condition=Q(external_reason="", external_until=None)
                | Q(role=Role.AUDITOR, external_until__isnull=False) & ~Q(external_reason=""),
                name="invitation_external_until_when_and_why",
            ),
        ]


class ServiceKey(Identified, TenantLookup):
    """A key for a program. Only a digest is kept: the key itself is shown once."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="service_keys")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="service_keys")
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    hint = models.CharField(max_length=12)
    digest = models.BinaryField(max_length=32, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class KeyUse(TenantThrough, models.Model):
    """When a key was last used, to the minute. A row of its own: the key is changed by people only, and each change is written down."""

    organisation_through = "key"

    key = models.OneToOneField(ServiceKey, on_delete=models.PROTECT, primary_key=True, related_name="last_use")
    used_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Use of key {self.key_id}"


class RetentionPeriod(models.Model):
    """How long an organisation keeps a kind of record, where it has set another period than the usual one."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=20)
    years = models.PositiveSmallIntegerField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "kind"], name="one_period_a_kind"),
            models.CheckConstraint(condition=Q(years__gte=1), name="kept_for_a_year_at_least"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.years} years"


class SignOnProvider(Identified, TenantLookup):
    """The OpenID Connect provider of an organisation. Another provider is another row: whom the one knew the other does not.

    Read from outside of all organisations, by whoever signs in. The secret is sealed like those of second factors.
    """

    organisation = models.OneToOneField(Organisation, on_delete=models.PROTECT, related_name="sign_on_provider")
    name = models.CharField(max_length=200)
    issuer = models.CharField(max_length=500)
    client_id = models.CharField(max_length=200)
    sealed_secret = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class SignOnDomain(TenantLookup):
    """A domain of e-mail addresses that a provider may speak for. It belongs to one organisation at most: the operator says to which."""

    domain = models.CharField(max_length=253, primary_key=True)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="sign_on_domains")

    def __str__(self) -> str:
        return self.domain


class SignOnIdentity(Identified):
    """A member as a provider knows them: found by their verified address once, and by ``subject`` ever after."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    provider = models.ForeignKey(SignOnProvider, on_delete=models.PROTECT, related_name="identities", db_index=False)
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["provider", "subject"], name="one_member_a_subject"),
            models.UniqueConstraint(fields=["provider", "user"], name="one_subject_a_member"),
        ]


class Hurdle(models.Model):
    """How often somebody failed at what is guessed at, and until when no further try counts.

    ``subject`` is a keyed digest of what is guessed at and from where: nobody reads an address or an account out of this table.
    """

    subject = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)
    closed_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.failures} failures"


class Proof(Identified):
    """Somebody has proved who they are, for one purpose, in one session and one organisation.

    ``session`` is a keyed digest of the session's key. An act that one proof is good for sets ``used_at`` and ``used_for`` in its own
    transaction, once: a trigger refuses every other change, and rows that were used stay.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    session = models.CharField(max_length=64)
    purpose = models.CharField(max_length=20)
    given_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_for = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(expires_at__gt=F("given_at")), name="proof_expires_afterwards"),
            models.CheckConstraint(
                condition=Q(used_at=None, used_for="") | Q(used_at__isnull=False) & ~Q(used_for=""), name="used_for_an_act"
            ),
            models.CheckConstraint(condition=Q(used_at=None) | Q(used_at__lt=F("expires_at")), name="proof_used_while_fresh"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["session", "purpose"], condition=Q(used_at=None), name="open_proofs"),
        ]


class Draft(models.Model):
    """What somebody has begun to write and not saved: kept for them, shown to nobody else, and no part of any record."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    page = models.CharField(max_length=200)
    field = models.CharField(max_length=200)
    text = models.TextField()
    saved_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "organisation", "page", "field"], name="one_draft_a_field"),
        ]

    def __str__(self) -> str:
        return f"Draft on {self.page}"

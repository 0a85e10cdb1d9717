"""Models of accounts: organisations, people, memberships, invitations, service keys, single sign-on, proofs and drafts.

Each organisation is a tenant; a person is a member of one or more, with one role in each.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from reviewers.web.models import Identified, TenantLookup, TenantThrough


class Role(models.TextChoices):
    """The role of a member in an organisation. The values are part of audit events, so a value never changes its meaning."""

    REVIEWER = "reviewer", "Reviewer"
    LEAD = "lead", "Lead"
    COORDINATOR = "coordinator", "Coordinator"
    AUDITOR = "auditor", "Auditor"
    ADMINISTRATOR = "administrator", "Administrator"


class Scope(models.TextChoices):
    """The scopes of a service key."""

    INGEST = "ingest", "Ingest"
    READ = "read", "Read"


class TokenScope(models.TextChoices):
    """The scopes of a member's token: one that labels reads as well. The values are part of audit events."""

    READ = "read", "Read"
    LABEL = "label", "Read and label"


class SearchWay(models.TextChoices):
    """The ways of looking for citations in an answer that came without any. The values are part of audit events."""

    OFF = "off", "Off"
    WORDS = "words", "By words"
    MODEL = "model", "By a model"


class QuoteDemand(models.TextChoices):
    """An organisation's setting for quotes in citations. The values are the engine's, and part of audit events."""

    OFF = "off", "Not checked"
    OPTIONAL = "optional", "Checked"
    REQUIRED = "required", "Required"


class CitedUnit(models.TextChoices):
    """The part of an answer that citations found afterwards are for. The values are the engine's, and part of audit events."""

    SENTENCE = "sentence", "By sentence"
    CLAUSE = "clause", "By clause"


class UserManager(BaseUserManager["User"]):
    """The manager of users."""

    def create_user(self, *, email: str, name: str, password: str | None = None) -> User:
        """Create a person, who can sign in once they have a password."""
        user = self.model(email=self.normalize_email(email).lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser, Identified):
    """A person. ``name`` is the printed name that signatures show. Accounts are closed, never deleted or given to another person."""

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


class Organisation(Identified, TenantLookup):
    """A tenant. Its switches take effect at once, and each change is an audit event.

    With ``requires_citations`` an answer that cites nothing has an issue; ``quotes`` says whether citations need quotes, and whether these
    are compared with their sources. ``repairs_answers`` attaches the best evidence to answers that cite nothing; ``citation_search`` looks
    for citations in them, by ``search_unit``. ``judges_support`` has a model judge whether sources support what cites them.
    ``open_alarms`` counts the alarms that nobody has acknowledged, so that every page can show it. Pages show scores instead of confidences
    for attributions under ``suspended_profiles``.
    """

    organisation_column = "id"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    asks_for_citations = models.BooleanField(default=False)
    requires_second_factor = models.BooleanField(default=False)
    asks_why = models.BooleanField(default=False)
    requires_citations = models.BooleanField(default=False)
    quotes = models.CharField(max_length=10, choices=QuoteDemand, default=QuoteDemand.OPTIONAL)
    repairs_answers = models.BooleanField(default=False)
    citation_search = models.CharField(max_length=10, choices=SearchWay, default=SearchWay.OFF)
    search_unit = models.CharField(max_length=10, choices=CitedUnit, default=CitedUnit.SENTENCE)
    judges_support = models.BooleanField(default=False)
    open_alarms = models.IntegerField(default=0, db_default=0)
    suspended_profiles = ArrayField(models.CharField(max_length=40), default=list, db_default=[])
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(citation_search__in=SearchWay.values), name="citation_search_known"),
            models.CheckConstraint(condition=Q(quotes__in=QuoteDemand.values), name="quotes_known"),
            models.CheckConstraint(condition=Q(search_unit__in=CitedUnit.values), name="search_unit_known"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(Identified, TenantLookup):
    """A person's role in an organisation. Memberships end; they are not deleted.

    An auditor may be from outside: protected text is masked for them, and the membership gives no access after ``external_until``.
    ``signed_in_at`` is the last sign-in to this organisation, and ``second_factor_at`` the first one with a second factor; sign-ins to
    other organisations are not recorded here. Sessions that began before ``signed_out_at`` give no access here.
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
    """An offer of a membership, sent to an address. The membership begins when the owner of the address accepts.

    The token of its link is derived from the row and the site's secret key, and stored nowhere. ``ended_as`` is the outcome.
    """

    class Outcome(models.TextChoices):
        """The outcomes of an invitation. The values are part of audit events."""

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
    """A key for a program. Only a digest is stored: the key itself is shown once."""

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
    """The last use of a key, to the minute. It has a row of its own because each change of the key itself is an audit event."""

    organisation_through = "key"

    key = models.OneToOneField(ServiceKey, on_delete=models.PROTECT, primary_key=True, related_name="last_use")
    used_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Use of key {self.key_id}"


class MemberToken(Identified, TenantLookup):
    """A token by which programs of a member act as that member, in one organisation. Only a digest is stored: it is shown once."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=10, choices=TokenScope)
    hint = models.CharField(max_length=12)
    digest = models.BinaryField(max_length=32, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(scope__in=TokenScope.values), name="token_scope_known"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="token_expires_afterwards"),
        ]


class TokenUse(TenantThrough, models.Model):
    """The last use of a member's token, to the minute, in a row of its own as that of a key."""

    organisation_through = "token"

    token = models.OneToOneField(MemberToken, on_delete=models.PROTECT, primary_key=True, related_name="last_use")
    used_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Use of token {self.token_id}"


class RetentionPeriod(models.Model):
    """An organisation's own retention period for a kind of record, instead of the default."""

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
    """The OpenID Connect provider of an organisation. Another issuer or client is another row, which knows no identities yet.

    It is read outside all tenants during sign-in. The client's secret is encrypted like those of second factors.
    """

    organisation = models.OneToOneField(Organisation, on_delete=models.PROTECT, related_name="sign_on_provider")
    name = models.CharField(max_length=200)
    issuer = models.CharField(max_length=500)
    client_id = models.CharField(max_length=200)
    sealed_secret = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class SignOnDomain(TenantLookup):
    """A domain of e-mail addresses that a provider may vouch for. The operator assigns it to one organisation at most."""

    domain = models.CharField(max_length=253, primary_key=True)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="sign_on_domains")

    def __str__(self) -> str:
        return self.domain


class SignOnIdentity(Identified):
    """A member's identity at a provider: matched by verified address once, and by ``subject`` from then on."""

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
    """The number of failed tries at a subject, and the time until which no further try counts.

    ``subject`` is a keyed digest of what is guessed at and from where: the table reveals neither addresses nor accounts.
    """

    subject = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)
    closed_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.failures} failures"


class Proof(Identified):
    """A proof of identity, for one purpose in one session and one organisation.

    ``session`` is a keyed digest of the session's key. The act that uses up a proof sets ``used_at`` and ``used_for`` in its own
    transaction, once: a trigger refuses every other change, and used proofs are kept.
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
    """Unsaved text of a member, shown to nobody else and no part of any record."""

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

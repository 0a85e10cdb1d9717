"""Organisations are separate worlds; a person is a member of one or more, with one role in each."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviewers.web.models import Identified


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


class Organisation(Identified):
    """A world of its own. The switches are operational: they hold from the moment they are changed, and each change is an event."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    asks_for_citations = models.BooleanField(default=False)
    requires_second_factor = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


class Membership(Identified):
    """A person's role in an organisation. It ends; it is not deleted."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "user"], condition=Q(ended_at=None), name="one_role_a_member"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]


class ServiceKey(Identified):
    """A key for a program. Only a digest is kept: the key itself is shown once."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="service_keys")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="service_keys")
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    hint = models.CharField(max_length=12)
    digest = models.BinaryField(max_length=32, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

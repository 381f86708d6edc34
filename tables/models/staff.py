"""The people who work: one model for admin users and for those who sign in at terminals."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import Q


class Role(models.TextChoices):
    """What a person is employed as; what each role may do is data in `tables.services.permissions`."""

    DEALER = "dealer", "Dealer"
    SUPERVISOR = "supervisor", "Floor supervisor"
    PIT_BOSS = "pit_boss", "Pit boss"
    CAGE = "cage", "Cage cashier"
    SECURITY = "security", "Security, who carries chips"
    SURVEILLANCE = "surveillance", "Surveillance"
    AUDITOR = "auditor", "Auditor"
    ADMINISTRATOR = "administrator", "Administrator"


ADMIN_ROLES = frozenset({Role.SUPERVISOR, Role.PIT_BOSS, Role.SURVEILLANCE, Role.AUDITOR, Role.ADMINISTRATOR})


class StaffManager(BaseUserManager["Staff"]):
    """Looks people up by badge, as Django's authentication wants it."""

    def get_by_natural_key(self, username: str | None) -> "Staff":
        """The person with this badge."""
        return self.get(badge=username)


class Staff(AbstractBaseUser):
    """One employee: a badge, a role, a password for the admin site and a PIN for terminals."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey("tables.Casino", on_delete=models.PROTECT, related_name="staff", null=True)
    badge = models.CharField(max_length=20, unique=True)
    display_name = models.CharField(max_length=100)
    role = models.CharField(max_length=20, choices=Role.choices)
    pin = models.CharField(max_length=128, blank=True, editable=False)
    is_active = models.BooleanField(default=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "badge"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = StaffManager()

    class Meta:
        verbose_name_plural = "staff"
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="staff_role"),
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(display_name="", is_active=False), name="staff_erased"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.badge} {self.display_name}".strip()

    @property
    def is_staff(self) -> bool:
        """Whether the admin site lets this person in at all."""
        return self.role in ADMIN_ROLES

    @property
    def is_superuser(self) -> bool:
        """Nobody is: every right comes from a role, and no role signs alone where two must."""
        return False

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Admin rights: whoever works in the admin may see; acts are services with their own rule."""
        return self.is_active and self.is_staff and perm.split(".")[-1].startswith("view_")

    def has_module_perms(self, app_label: str) -> bool:
        """Whether the app is shown in the admin's index."""
        return self.is_active and self.is_staff

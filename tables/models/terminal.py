"""Terminals: how a device proves itself, and who is signed in on it."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from tables.models.casino import Casino
from tables.models.staff import Staff
from tables.models.table import Table


class TerminalKind(models.TextChoices):
    """What a device is for; the operations of each kind are data in `tables.services.permissions`."""

    TABLE = "table", "Dealer terminal at a table"
    CAGE = "cage", "Cashier terminal in the cage"


class Terminal(models.Model):
    """A device and its credential: only a keyed hash of the secret is kept, and no row is deleted."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="terminals")
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="terminals"
    )
    kind = models.CharField(max_length=10, choices=TerminalKind.choices)
    name = models.CharField(max_length=60)
    networks = ArrayField(
        models.CharField(max_length=43),
        default=list,
        blank=True,
        help_text="Networks (CIDR) the credential is good from; empty for any.",
    )
    secret_hash = models.BinaryField(max_length=32, null=True, editable=False)
    code_hash = models.BinaryField(max_length=32, null=True, editable=False)
    code_expires_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(help_text="When the credential ends.")
    enrolled_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="table", table__isnull=False) | Q(kind="cage", table__isnull=True),
                name="terminal_bound_to_its_place",
            ),
            models.UniqueConstraint(fields=["code_hash"], name="terminal_code"),
        ]

    def __str__(self) -> str:
        return self.name


class SignIn(models.Model):
    """A person at a terminal, from badge and PIN to the end of the stint, or to a time without input."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    terminal = models.ForeignKey(Terminal, on_delete=models.PROTECT, related_name="sign_ins")
    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="sign_ins")
    started_at = models.DateTimeField()
    last_input_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["terminal"], condition=Q(ended_at__isnull=True), name="one_sign_in_per_terminal"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.staff} at {self.terminal}"

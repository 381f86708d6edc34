"""What surrounds a command: its stored answer, the refusals, second signatures, and the outbox."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.casino import Casino
from tables.models.staff import Staff
from tables.models.terminal import Terminal


class CommandAnswer(models.Model):
    """The answer a command was given, so that its retry gets the same one and has no second effect."""

    stream = models.CharField(max_length=60)
    command_id = models.UUIDField()
    fingerprint = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    version = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["stream", "command_id"], name="one_answer_per_command"),
        ]

    def __str__(self) -> str:
        return f"{self.stream} {self.command_id}"


class Refusal(models.Model):
    """A command that was refused: kept as evidence, in a transaction of its own; rows are only added."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(auto_now_add=True)
    operation = models.CharField(max_length=60)
    code = models.CharField(max_length=60)
    detail = models.TextField(blank=True)
    command_id = models.UUIDField(null=True)
    badge = models.CharField(max_length=20, blank=True, help_text="The badge a wrong PIN was typed for.")
    staff_id = models.UUIDField(null=True)
    terminal_id = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["at"], name="refusal_at"),
            models.Index(fields=["badge", "at"], condition=~Q(badge=""), name="refusal_badge"),
        ]

    def __str__(self) -> str:
        return f"{self.operation}: {self.code}"


class Approval(models.Model):
    """A second signature given beforehand at a device of one's own: for one act, once, for a short while.

    It is good for the act on its subject only while the row the act is about stands at `version`, so that
    nobody approves what they have not seen. That its giver is not who uses it is `Countersignature`'s rule.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="approvals")
    act = models.CharField(max_length=60)
    subject = models.UUIDField()
    version = models.BigIntegerField()
    given_by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="approvals")
    terminal = models.ForeignKey(
        Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="approvals"
    )
    address = models.GenericIPAddressField(null=True, blank=True)
    given_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(expires_at__gt=F("given_at")), name="approval_expires"),
        ]

    def __str__(self) -> str:
        return f"{self.act} by {self.given_by}"


class Countersignature(models.Model):
    """A second person's signature under an act; that the two differ is the database's own rule.

    The devices are null for the admin site and the command line; the network addresses both signed from (the
    clients', behind our proxies) are kept here and not in the journal. `second_signed_at` differs from
    `signed_at` where the second signed beforehand, by an approval.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    stream = models.CharField(max_length=60)
    seq = models.BigIntegerField()
    act = models.CharField(max_length=60)
    first = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    first_terminal = models.ForeignKey(
        Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    second_terminal = models.ForeignKey(
        Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    first_address = models.GenericIPAddressField(null=True, blank=True)
    second_address = models.GenericIPAddressField(null=True, blank=True)
    approval = models.OneToOneField(
        Approval, on_delete=models.PROTECT, null=True, blank=True, related_name="countersignature"
    )
    reason = models.CharField(max_length=200, blank=True)
    signed_at = models.DateTimeField()
    second_signed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(first=F("second")), name="two_different_signatories"),
            models.UniqueConstraint(fields=["stream", "seq"], name="one_countersignature_per_entry"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.stream}/{self.seq}"


class OutboxItem(models.Model):
    """Work a command asked for, written with the command; done once `done_at` is set, however often tried."""

    id = models.BigAutoField(primary_key=True)
    topic = models.CharField(max_length=40)
    subject = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(done_at__isnull=True), name="outbox_not_done"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.subject}"

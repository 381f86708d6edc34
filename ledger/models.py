"""Read models of the journal.

The tables are made by ``ledger/sql`` and written by its functions only, so the models are unmanaged: no
``makemigrations`` will ever touch them, and saving one is refused by the database itself.
"""

import json

from django.db import models


class Stream(models.Model):
    """One independent chain of entries with its own accounts."""

    id = models.IntegerField(primary_key=True)
    name = models.TextField(unique=True)

    class Meta:
        managed = False
        db_table = "ledger_stream"
        verbose_name = "stream"
        verbose_name_plural = "streams"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Head(models.Model):
    """The last entry of a stream, as the posting functions keep it."""

    stream = models.OneToOneField(
        Stream, models.DO_NOTHING, primary_key=True, related_name="head", db_constraint=False
    )
    seq = models.BigIntegerField("last number")
    hash = models.BinaryField("last hash")
    recorded_at = models.DateTimeField("last recorded at")

    class Meta:
        managed = False
        db_table = "ledger_head"
        verbose_name = "stream head"
        verbose_name_plural = "stream heads"

    def __str__(self) -> str:
        return f"{self.stream_id} at {self.seq}"


class Account(models.Model):
    """A place that holds one asset within a stream; balance and floor in minor units."""

    id = models.IntegerField(primary_key=True)
    stream = models.ForeignKey(Stream, models.DO_NOTHING, related_name="accounts", db_constraint=False)
    name = models.TextField()
    asset = models.TextField()
    floor = models.BigIntegerField(null=True)
    balance = models.BigIntegerField()
    opened_seq = models.BigIntegerField("opened by entry number")

    class Meta:
        managed = False
        db_table = "ledger_account"
        verbose_name = "account"
        verbose_name_plural = "accounts"
        ordering = ["stream", "name"]

    def __str__(self) -> str:
        return f"{self.name} ({self.asset})"


class Entry(models.Model):
    """One thing that happened. The database's own key is (stream, seq); the id is unique as well."""

    id = models.UUIDField(primary_key=True)
    stream = models.ForeignKey(Stream, models.DO_NOTHING, related_name="entries", db_constraint=False)
    seq = models.BigIntegerField("number")
    command_id = models.UUIDField("command")
    kind = models.TextField()
    actor = models.UUIDField()
    terminal = models.UUIDField(null=True)
    recorded_at = models.DateTimeField()
    occurred_at = models.DateTimeField()
    payload = models.TextField()
    payload_digest = models.BinaryField()
    reverses = models.UUIDField(null=True)
    previous_hash = models.BinaryField()
    hash = models.BinaryField()
    hash_version = models.SmallIntegerField()

    class Meta:
        managed = False
        db_table = "ledger_entry"
        verbose_name = "entry"
        verbose_name_plural = "entries"
        ordering = ["stream", "-seq"]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq}"

    def pretty_payload(self) -> str:
        """The payload, indented for reading; the stored text is what was hashed."""
        return json.dumps(json.loads(self.payload), indent=2, ensure_ascii=False)


class Checkpoint(models.Model):
    """A signed root over the first ``size`` sealed entries. The tree's nodes are read slice by slice only."""

    size = models.BigIntegerField(primary_key=True)
    previous_size = models.BigIntegerField()
    sealed_at = models.DateTimeField()
    root = models.BinaryField()
    origin = models.TextField("log")
    note = models.TextField("signed note")

    class Meta:
        managed = False
        db_table = "ledger_checkpoint"
        verbose_name = "checkpoint"
        verbose_name_plural = "checkpoints"
        ordering = ["size"]

    def __str__(self) -> str:
        return f"checkpoint of {self.size} entries"


class CheckpointRange(models.Model):
    """Leaves from ``position`` on are the entries ``seq_from`` to ``seq_to`` of a stream."""

    position = models.BigIntegerField(primary_key=True)
    stream = models.ForeignKey(Stream, models.DO_NOTHING, related_name="sealed", db_constraint=False)
    seq_from = models.BigIntegerField("from number")
    seq_to = models.BigIntegerField("to number")

    class Meta:
        managed = False
        db_table = "ledger_checkpoint_range"
        verbose_name = "sealed range"
        verbose_name_plural = "sealed ranges"
        ordering = ["position"]

    def __str__(self) -> str:
        return f"{self.stream_id}: {self.seq_from} to {self.seq_to} at {self.position}"


class Movement(models.Model):
    """``amount`` minor units that an entry moved from one account to another of its stream."""

    pk = models.CompositePrimaryKey("stream_id", "seq", "line")
    stream = models.ForeignKey(Stream, models.DO_NOTHING, related_name="movements", db_constraint=False)
    seq = models.BigIntegerField("entry number")
    line = models.SmallIntegerField()
    source = models.ForeignKey(Account, models.DO_NOTHING, related_name="outgoing", db_constraint=False)
    target = models.ForeignKey(Account, models.DO_NOTHING, related_name="incoming", db_constraint=False)
    amount = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = "ledger_movement"
        verbose_name = "movement"
        verbose_name_plural = "movements"
        ordering = ["stream", "seq", "line"]

    def __str__(self) -> str:
        return f"{self.source_id} -> {self.target_id}: {self.amount}"

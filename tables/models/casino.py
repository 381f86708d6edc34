"""The house: casinos, their pits, and the rule sets their tables play by."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q


class Casino(models.Model):
    """One house: one currency, one set of chips, one time zone, one gaming day."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    code = models.SlugField(max_length=20, unique=True)
    name = models.CharField(max_length=100)
    currency = models.CharField(max_length=3)
    time_zone = models.CharField(max_length=64)
    rollover_hour = models.PositiveSmallIntegerField(
        default=6, help_text="Local hour at which a gaming day begins."
    )
    denominations = ArrayField(
        models.BigIntegerField(), help_text="Values of the chips in use, in minor units."
    )
    profiles = models.JSONField(
        default=list,
        blank=True,
        help_text="Jurisdiction profiles chosen, each from a gaming day on, in the order of the choices.",
    )
    version = models.BigIntegerField(default=0, help_text="Action counter of the office.")
    closed_day = models.DateField(
        null=True, blank=True, help_text="The last gaming day that was closed; days close in order."
    )
    answered: bool  # set by locking the row: whether the command at hand was answered before

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(rollover_hour__lte=23), name="casino_rollover_hour"),
            models.CheckConstraint(condition=Q(currency__regex=r"^[A-Z]{3}$"), name="casino_currency"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def chips_asset(self) -> str:
        """The ledger's name for this casino's chips."""
        return f"chips:{self.currency}"

    @property
    def promo_asset(self) -> str:
        """The ledger's name for this casino's promotional pieces, which are no chips."""
        return f"promo:{self.currency}"

    @property
    def markers_asset(self) -> str:
        """The ledger's name for credit instruments in this casino's currency, which are no cash."""
        return f"markers:{self.currency}"

    @property
    def cash_asset(self) -> str:
        """The ledger's name for cash in this casino's currency."""
        return f"cash:{self.currency}"

    @property
    def stream(self) -> str:
        """The journal stream of the office: staff, rule sets, tables, terminals."""
        return f"office:{self.id}"

    @property
    def cage_stream(self) -> str:
        """The journal stream of the cage."""
        return f"cage:{self.id}"


class Pit(models.Model):
    """A group of tables under one pit boss."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="pits")
    code = models.SlugField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["casino", "code"], name="pit_code_per_casino")]

    def __str__(self) -> str:
        return self.code


class RuleSet(models.Model):
    """A game's rules, pay table and limits as data; never edited, only followed by a new version.

    The application's database role may insert rows here and read them, not change them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="rule_sets")
    name = models.SlugField(max_length=40)
    version = models.PositiveIntegerField()
    game = models.CharField(max_length=40)
    body = models.JSONField(help_text="The rule set as the engine reads it.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the canonical body.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["casino", "name", "version"], name="rule_set_version"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class Cage(models.Model):
    """The cage of a casino: the row its commands lock, with its action counter and slip numbers."""

    casino = models.OneToOneField(Casino, on_delete=models.PROTECT, primary_key=True, related_name="cage")
    version = models.BigIntegerField(default=0)
    next_fill_number = models.BigIntegerField(default=1)
    next_credit_number = models.BigIntegerField(default=1)
    answered: bool  # set by locking the row: whether the command at hand was answered before

    def __str__(self) -> str:
        return f"Cage of {self.casino}"

    @property
    def stream(self) -> str:
        """The cage's journal stream."""
        return f"cage:{self.casino_id}"


class Player(models.Model):
    """Somebody who plays: known by a reference of the casino's, or by a description only.

    The journal carries the id alone, so a person's data can be erased without touching a hash.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="players")
    reference = models.CharField(max_length=40, blank=True)
    description = models.CharField(max_length=200, blank=True)
    same_as = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="also",
        help_text="Whom this described person was found to be; their cash is one total.",
    )
    erased_at = models.DateTimeField(null=True, blank=True)
    credit_limit = models.BigIntegerField(
        null=True, blank=True, help_text="What they may owe on markers, minor units."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["casino", "reference"], condition=~Q(reference=""), name="player_reference"
            ),
            models.CheckConstraint(condition=~Q(same_as=F("id")), name="player_same_as_another"),
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(reference="", description=""), name="player_erased"
            ),
        ]

    def __str__(self) -> str:
        return self.reference or self.description or str(self.id)

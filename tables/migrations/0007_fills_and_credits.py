"""Slips of fills and credits with all their steps, pars of tables, and security, who carries chips.

A slip is write-once: a trigger lets a step's fields be filled and the status go on, and nothing else,
whoever asks.
"""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, one, uid

WRITE_ONCE = """
CREATE FUNCTION tables_slip_write_once() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_field record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a slip is never taken away' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    FOR v_field IN
        SELECT was.key FROM jsonb_each(to_jsonb(OLD)) AS was (key, value)
         WHERE was.key NOT IN ('status', 'prints', 'reason') AND was.value <> 'null'
           AND was.value IS DISTINCT FROM to_jsonb(NEW) -> was.key
    LOOP
        RAISE EXCEPTION 'a slip keeps its %', v_field.key USING ERRCODE = 'integrity_constraint_violation';
    END LOOP;
    IF OLD.reason <> '' AND NEW.reason <> OLD.reason OR NEW.prints < OLD.prints THEN
        RAISE EXCEPTION 'a slip keeps its reason and its prints'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.status <> OLD.status AND OLD.status || '>' || NEW.status NOT IN (
        'requested>refused', 'requested>issued', 'requested>on_the_way', 'issued>on_the_way', 'issued>void',
        'on_the_way>received', 'on_the_way>returning', 'received>returning', 'returning>void')
    THEN
        RAISE EXCEPTION 'a slip does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER write_once BEFORE UPDATE OR DELETE ON tables_slip
    FOR EACH ROW EXECUTE FUNCTION tables_slip_write_once();
ALTER TABLE tables_slip ENABLE ALWAYS TRIGGER write_once;
"""
FORGET = """
DROP TRIGGER write_once ON tables_slip;
DROP FUNCTION tables_slip_write_once();
"""


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0006_cage")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Slip",
            fields=[
                ("id", uid()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("fill", "Fill, from the cage to a table"),
                            ("credit", "Credit, from a table to the cage"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "series",
                    models.CharField(
                        choices=[
                            ("system", "Numbered by the system"),
                            ("manual", "Written by hand while the system was down"),
                        ],
                        default="system",
                        max_length=10,
                    ),
                ),
                ("number", models.BigIntegerField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("issued", "Issued, chips not counted yet"),
                            ("on_the_way", "On the way"),
                            ("received", "Received"),
                            ("returning", "Void, chips on their way back"),
                            ("refused", "Refused"),
                            ("void", "Void"),
                        ],
                        default="requested",
                        max_length=10,
                    ),
                ),
                (
                    "requested_chips",
                    models.JSONField(blank=True, help_text="Chip value to number of chips.", null=True),
                ),
                (
                    "chips",
                    models.JSONField(blank=True, help_text="Chip value to number of chips.", null=True),
                ),
                ("total", models.BigIntegerField(blank=True, null=True)),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="Why it was refused or made void.", max_length=200
                    ),
                ),
                (
                    "occurred_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When a manual slip was written, the system being down.",
                        null=True,
                    ),
                ),
                ("requested_at", models.DateTimeField(blank=True, null=True)),
                ("refused_at", models.DateTimeField(blank=True, null=True)),
                ("issued_at", models.DateTimeField(blank=True, null=True)),
                ("issued_seq", models.BigIntegerField(blank=True, null=True)),
                ("counted_at", models.DateTimeField(blank=True, null=True)),
                ("counted_seq", models.BigIntegerField(blank=True, null=True)),
                ("received_at", models.DateTimeField(blank=True, null=True)),
                ("received_seq", models.BigIntegerField(blank=True, null=True)),
                ("voided_at", models.DateTimeField(blank=True, null=True)),
                ("voided_seq", models.BigIntegerField(blank=True, null=True)),
                ("returned_at", models.DateTimeField(blank=True, null=True)),
                ("returned_seq", models.BigIntegerField(blank=True, null=True)),
                (
                    "returned_chips",
                    models.JSONField(
                        blank=True,
                        help_text="What was counted when the chips of a void slip came back.",
                        null=True,
                    ),
                ),
                ("prints", models.PositiveIntegerField(default=0, help_text="How often it was printed.")),
                ("casino", key("tables.casino", related_name="slips")),
                ("counted_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("counted_terminal", key("tables.terminal", blank=True, null=True)),
                ("counted_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("issued_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("issued_terminal", key("tables.terminal", blank=True, null=True)),
                ("issued_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("received_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("received_terminal", key("tables.terminal", blank=True, null=True)),
                ("received_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("refused_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("refused_terminal", key("tables.terminal", blank=True, null=True)),
                ("requested_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("requested_terminal", key("tables.terminal", blank=True, null=True)),
                ("requested_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("returned_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("returned_terminal", key("tables.terminal", blank=True, null=True)),
                ("returned_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("runner", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("table", key("tables.table", related_name="slips")),
                ("voided_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("voided_terminal", key("tables.terminal", blank=True, null=True)),
                ("voided_with", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        name="slip_unfinished",
                        fields=["table"],
                        condition=Q(status__in=("requested", "issued", "on_the_way", "returning")),
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        name="slip_number", fields=["casino", "series", "kind", "number"]
                    ),
                    models.CheckConstraint(
                        name="slip_numbered_when_issued",
                        condition=Q(number__isnull=True, status__in=("requested", "refused"))
                        | Q(
                            ~Q(status__in=("requested", "refused")),
                            ("number__gte", 1),
                            ("total__gt", 0),
                            ("chips__isnull", False),
                            ("issued_at__isnull", False),
                            ("issued_by__isnull", False),
                            ("number__isnull", False),
                            ("total__isnull", False),
                        ),
                    ),
                    models.CheckConstraint(
                        name="slip_requested_or_manual",
                        condition=Q(requested_by__isnull=False, requested_with__isnull=False, series="system")
                        | Q(issued_with__isnull=False, occurred_at__isnull=False, series="manual"),
                    ),
                    models.CheckConstraint(
                        name="slip_fill_has_runner",
                        condition=Q(series="manual")
                        | Q(kind="credit")
                        | Q(status__in=("requested", "refused"))
                        | Q(runner__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="slip_received_is_signed",
                        condition=~Q(status="received")
                        | Q(kind="fill", received_by__isnull=False, received_with__isnull=False)
                        | Q(
                            counted_by__isnull=False,
                            counted_with__isnull=False,
                            kind="credit",
                            received_by__isnull=False,
                            runner__isnull=False,
                        ),
                    ),
                    models.CheckConstraint(
                        name="slip_void_is_signed",
                        condition=~Q(status__in=["void", "returning"])
                        | Q(("voided_by__isnull", False), ("voided_with__isnull", False), ~Q(reason="")),
                    ),
                    models.CheckConstraint(
                        name="slip_requested_by_two",
                        condition=Q(requested_by__isnull=True)
                        | Q(requested_with__isnull=True)
                        | ~Q(requested_by=F("requested_with")),
                    ),
                    models.CheckConstraint(
                        name="slip_fill_by_different_people",
                        condition=Q(kind="credit")
                        | Q(
                            Q(issued_by__isnull=True) | Q(runner__isnull=True) | ~Q(issued_by=F("runner")),
                            Q(issued_by__isnull=True)
                            | Q(received_by__isnull=True)
                            | ~Q(issued_by=F("received_by")),
                            Q(issued_by__isnull=True)
                            | Q(received_with__isnull=True)
                            | ~Q(issued_by=F("received_with")),
                            Q(runner__isnull=True)
                            | Q(received_by__isnull=True)
                            | ~Q(runner=F("received_by")),
                            Q(runner__isnull=True)
                            | Q(received_with__isnull=True)
                            | ~Q(runner=F("received_with")),
                            Q(received_by__isnull=True)
                            | Q(received_with__isnull=True)
                            | ~Q(received_by=F("received_with")),
                        ),
                    ),
                    models.CheckConstraint(
                        name="slip_credit_by_different_people",
                        condition=Q(kind="fill")
                        | Q(
                            Q(counted_by__isnull=True)
                            | Q(counted_with__isnull=True)
                            | ~Q(counted_by=F("counted_with")),
                            Q(counted_by__isnull=True) | Q(runner__isnull=True) | ~Q(counted_by=F("runner")),
                            Q(counted_by__isnull=True)
                            | Q(issued_by__isnull=True)
                            | ~Q(counted_by=F("issued_by")),
                            Q(counted_with__isnull=True)
                            | Q(runner__isnull=True)
                            | ~Q(counted_with=F("runner")),
                            Q(counted_with__isnull=True)
                            | Q(issued_by__isnull=True)
                            | ~Q(counted_with=F("issued_by")),
                            Q(runner__isnull=True) | Q(issued_by__isnull=True) | ~Q(runner=F("issued_by")),
                            Q(counted_by__isnull=True)
                            | Q(counted_with__isnull=True)
                            | ~Q(counted_by=F("counted_with")),
                            Q(counted_by__isnull=True) | Q(runner__isnull=True) | ~Q(counted_by=F("runner")),
                            Q(counted_by__isnull=True)
                            | Q(received_by__isnull=True)
                            | ~Q(counted_by=F("received_by")),
                            Q(counted_with__isnull=True)
                            | Q(runner__isnull=True)
                            | ~Q(counted_with=F("runner")),
                            Q(counted_with__isnull=True)
                            | Q(received_by__isnull=True)
                            | ~Q(counted_with=F("received_by")),
                            Q(runner__isnull=True)
                            | Q(received_by__isnull=True)
                            | ~Q(runner=F("received_by")),
                        ),
                    ),
                    models.CheckConstraint(
                        name="slip_steps_by_two",
                        condition=Q(
                            Q(issued_by__isnull=True)
                            | Q(issued_with__isnull=True)
                            | ~Q(issued_by=F("issued_with")),
                            Q(voided_by__isnull=True)
                            | Q(voided_with__isnull=True)
                            | ~Q(voided_by=F("voided_with")),
                            Q(returned_by__isnull=True)
                            | Q(returned_with__isnull=True)
                            | ~Q(returned_by=F("returned_with")),
                        ),
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SlipDifference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("chips", models.JSONField(help_text="What was counted: chip value to number of chips.")),
                ("slip", key("tables.slip", related_name="differences")),
                ("staff", key(settings.AUTH_USER_MODEL)),
                ("terminal", key("tables.terminal", blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="TablePar",
            fields=[
                ("table", one("tables.table", primary_key=True, serialize=False, related_name="par")),
                ("chips", models.JSONField(help_text="Chip value to number of chips.")),
                ("set_at", models.DateTimeField()),
                ("set_by", key(settings.AUTH_USER_MODEL)),
            ],
            options={"verbose_name": "par"},
        ),
        migrations.RunSQL(WRITE_ONCE, FORGET),
    ]

"""Slips of fills and credits with all their steps, pars of tables, and security, who carries chips.

A slip is write-once: a trigger lets a step's fields be filled and the status go on, and nothing else,
whoever asks.
"""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

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

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0005_jurisdiction")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Slip",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
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
            ],
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
            ],
        ),
        migrations.CreateModel(
            name="TablePar",
            fields=[
                (
                    "table",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="par",
                        serialize=False,
                        to="tables.table",
                    ),
                ),
                ("chips", models.JSONField(help_text="Chip value to number of chips.")),
                ("set_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "par",
            },
        ),
        migrations.RemoveConstraint(
            model_name="staff",
            name="staff_role",
        ),
        migrations.AddField(
            model_name="cage",
            name="next_credit_number",
            field=models.BigIntegerField(default=1),
        ),
        migrations.AlterField(
            model_name="staff",
            name="role",
            field=models.CharField(
                choices=[
                    ("dealer", "Dealer"),
                    ("supervisor", "Floor supervisor"),
                    ("pit_boss", "Pit boss"),
                    ("cage", "Cage cashier"),
                    ("security", "Security, who carries chips"),
                    ("surveillance", "Surveillance"),
                    ("auditor", "Auditor"),
                    ("administrator", "Administrator"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="staff",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "role__in",
                        [
                            "dealer",
                            "supervisor",
                            "pit_boss",
                            "cage",
                            "security",
                            "surveillance",
                            "auditor",
                            "administrator",
                        ],
                    )
                ),
                name="staff_role",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="casino",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="slips", to="tables.casino"
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="counted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="counted_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="counted_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="issued_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="issued_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="issued_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="received_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="received_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="received_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="refused_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="refused_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="requested_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="requested_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="requested_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="returned_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="returned_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="returned_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="runner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="table",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="slips", to="tables.table"
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="voided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="voided_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="voided_with",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slipdifference",
            name="slip",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="differences", to="tables.slip"
            ),
        ),
        migrations.AddField(
            model_name="slipdifference",
            name="staff",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="slipdifference",
            name="terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="tablepar",
            name="set_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.DeleteModel(
            name="Fill",
        ),
        migrations.AddIndex(
            model_name="slip",
            index=models.Index(
                condition=models.Q(("status__in", ("requested", "issued", "on_the_way", "returning"))),
                fields=["table"],
                name="slip_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.UniqueConstraint(
                fields=("casino", "series", "kind", "number"), name="slip_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("number__isnull", True), ("status__in", ("requested", "refused"))),
                    models.Q(
                        models.Q(("status__in", ("requested", "refused")), _negated=True),
                        ("number__gte", 1),
                        ("total__gt", 0),
                        ("chips__isnull", False),
                        ("issued_at__isnull", False),
                        ("issued_by__isnull", False),
                        ("number__isnull", False),
                        ("total__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="slip_numbered_when_issued",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("requested_by__isnull", False),
                        ("requested_with__isnull", False),
                        ("series", "system"),
                    ),
                    models.Q(
                        ("issued_with__isnull", False), ("occurred_at__isnull", False), ("series", "manual")
                    ),
                    _connector="OR",
                ),
                name="slip_requested_or_manual",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("series", "manual"),
                    ("kind", "credit"),
                    ("status__in", ("requested", "refused")),
                    ("runner__isnull", False),
                    _connector="OR",
                ),
                name="slip_fill_has_runner",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "received"), _negated=True),
                    models.Q(
                        ("kind", "fill"), ("received_by__isnull", False), ("received_with__isnull", False)
                    ),
                    models.Q(
                        ("counted_by__isnull", False),
                        ("counted_with__isnull", False),
                        ("kind", "credit"),
                        ("received_by__isnull", False),
                        ("runner__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="slip_received_is_signed",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["void", "returning"]), _negated=True),
                    models.Q(
                        ("voided_by__isnull", False),
                        ("voided_with__isnull", False),
                        models.Q(("reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="slip_void_is_signed",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("requested_by__isnull", True),
                    ("requested_with__isnull", True),
                    models.Q(("requested_by", models.F("requested_with")), _negated=True),
                    _connector="OR",
                ),
                name="slip_requested_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind", "credit"),
                    models.Q(
                        models.Q(
                            ("issued_by__isnull", True),
                            ("runner__isnull", True),
                            models.Q(("issued_by", models.F("runner")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("issued_by__isnull", True),
                            ("received_by__isnull", True),
                            models.Q(("issued_by", models.F("received_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("issued_by__isnull", True),
                            ("received_with__isnull", True),
                            models.Q(("issued_by", models.F("received_with")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("runner__isnull", True),
                            ("received_by__isnull", True),
                            models.Q(("runner", models.F("received_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("runner__isnull", True),
                            ("received_with__isnull", True),
                            models.Q(("runner", models.F("received_with")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("received_by__isnull", True),
                            ("received_with__isnull", True),
                            models.Q(("received_by", models.F("received_with")), _negated=True),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="slip_fill_by_different_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind", "fill"),
                    models.Q(
                        models.Q(
                            ("counted_by__isnull", True),
                            ("counted_with__isnull", True),
                            models.Q(("counted_by", models.F("counted_with")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_by__isnull", True),
                            ("runner__isnull", True),
                            models.Q(("counted_by", models.F("runner")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_by__isnull", True),
                            ("issued_by__isnull", True),
                            models.Q(("counted_by", models.F("issued_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_with__isnull", True),
                            ("runner__isnull", True),
                            models.Q(("counted_with", models.F("runner")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_with__isnull", True),
                            ("issued_by__isnull", True),
                            models.Q(("counted_with", models.F("issued_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("runner__isnull", True),
                            ("issued_by__isnull", True),
                            models.Q(("runner", models.F("issued_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_by__isnull", True),
                            ("counted_with__isnull", True),
                            models.Q(("counted_by", models.F("counted_with")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_by__isnull", True),
                            ("runner__isnull", True),
                            models.Q(("counted_by", models.F("runner")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_by__isnull", True),
                            ("received_by__isnull", True),
                            models.Q(("counted_by", models.F("received_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_with__isnull", True),
                            ("runner__isnull", True),
                            models.Q(("counted_with", models.F("runner")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("counted_with__isnull", True),
                            ("received_by__isnull", True),
                            models.Q(("counted_with", models.F("received_by")), _negated=True),
                            _connector="OR",
                        ),
                        models.Q(
                            ("runner__isnull", True),
                            ("received_by__isnull", True),
                            models.Q(("runner", models.F("received_by")), _negated=True),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="slip_credit_by_different_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("issued_by__isnull", True),
                        ("issued_with__isnull", True),
                        models.Q(("issued_by", models.F("issued_with")), _negated=True),
                        _connector="OR",
                    ),
                    models.Q(
                        ("voided_by__isnull", True),
                        ("voided_with__isnull", True),
                        models.Q(("voided_by", models.F("voided_with")), _negated=True),
                        _connector="OR",
                    ),
                    models.Q(
                        ("returned_by__isnull", True),
                        ("returned_with__isnull", True),
                        models.Q(("returned_by", models.F("returned_with")), _negated=True),
                        _connector="OR",
                    ),
                ),
                name="slip_steps_by_two",
            ),
        ),
        migrations.RunSQL(WRITE_ONCE, FORGET),
    ]

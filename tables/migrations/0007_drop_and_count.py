"""Drop boxes and their two counts."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0006_fills_and_credits")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name='DropBox',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('status', models.CharField(choices=[('on_table', 'On the table'), ('removed', 'Removed, not counted'), ('first_counted', 'Counted once, blind'), ('differs', 'The two counts differ'), ('counted', 'Counted')], default='on_table', max_length=15)),
                ('put_at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('removed_seq', models.BigIntegerField(blank=True, help_text='Journal entry of the removal.', null=True)),
                ('booked', models.BigIntegerField(blank=True, help_text='Cash recorded as put into it, less what was taken back.', null=True)),
                ('commitment', models.CharField(blank=True, default='', max_length=64)),
                ('sealed', models.BinaryField(blank=True, null=True)),
                ('first_counted_at', models.DateTimeField(blank=True, null=True)),
                ('second_counted_at', models.DateTimeField(blank=True, null=True)),
                ('first_count', models.JSONField(blank=True, help_text='Known once the second is posted.', null=True)),
                ('second_count', models.JSONField(blank=True, null=True)),
                ('counted', models.JSONField(blank=True, help_text='What both found, or what the recount did.', null=True)),
                ('slips', models.JSONField(blank=True, help_text='Labels of the slip copies found; null when nobody has looked.', null=True)),
                ('total', models.BigIntegerField(blank=True, null=True)),
                ('late', models.BooleanField(default=False, help_text='Counted after its gaming day had ended.')),
                ('counted_at', models.DateTimeField(blank=True, null=True)),
                ('counted_seq', models.BigIntegerField(blank=True, help_text='Journal entry of the count.', null=True)),
                ('first_counter', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first_terminal', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.terminal')),
                ('second_counter', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='boxes', to='tables.tablesession')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='boxes', to='tables.table')),
            ],
            options={
                'verbose_name_plural': 'drop boxes',
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'on_table')), fields=('table',), name='one_box_on_a_table'), models.UniqueConstraint(condition=models.Q(('status', 'counted'), _negated=True), fields=('table', 'number'), name='box_in_one_place'), models.CheckConstraint(condition=models.Q(models.Q(('booked__isnull', True), ('removed_at__isnull', True), ('status', 'on_table')), models.Q(models.Q(('status', 'on_table'), _negated=True), ('booked__isnull', False), ('removed_at__isnull', False)), _connector='OR'), name='box_removed_with_its_books'), models.CheckConstraint(condition=models.Q(models.Q(('first_count__isnull', True), ('sealed__isnull', False), ('status', 'first_counted')), models.Q(models.Q(('status', 'first_counted'), _negated=True), ('sealed__isnull', True)), _connector='OR'), name='first_count_sealed_until_second'), models.CheckConstraint(condition=models.Q(('second_counter__isnull', True), models.Q(('first_counter', models.F('second_counter')), _negated=True), _connector='OR'), name='drop_counted_by_two'), models.CheckConstraint(condition=models.Q(models.Q(('second_counter__isnull', False), ('status', 'counted'), ('total__isnull', False)), models.Q(models.Q(('status', 'counted'), _negated=True), ('total__isnull', True)), _connector='OR'), name='box_counted_has_total')],
            },
        ),
    ]

"""Exports, what came of them, and the pieces of their files."""

import django.contrib.postgres.fields
import django.db.models.deletion
import reviewers.web.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_asks_why'),
        ('reports', '0001_search'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('asked_at', models.DateTimeField()),
                ('scope', models.JSONField()),
                ('form', models.CharField(max_length=20)),
                ('reason', models.TextField()),
                ('asked_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='ExportChunk',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=40)),
                ('number', models.IntegerField()),
                ('content', models.BinaryField()),
                ('state', models.JSONField(default=dict)),
                ('export', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='chunks', to='reports.export')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='ExportResult',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('outcome', models.CharField(choices=[('made', 'Made'), ('failed', 'Failed')], max_length=8)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('made_at', models.DateTimeField()),
                ('answers', models.IntegerField(default=0)),
                ('size', models.BigIntegerField(default=0)),
                ('digest', models.BinaryField(max_length=32, null=True)),
                ('snapshots', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('export', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='result', to='reports.export')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
        ),
        migrations.AddIndex(
            model_name='export',
            index=models.Index(fields=['organisation', 'asked_at'], name='export_by_time'),
        ),
        migrations.AddConstraint(
            model_name='export',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='exported_for_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='exportchunk',
            constraint=models.UniqueConstraint(fields=('export', 'name', 'number'), name='one_chunk_a_number'),
        ),
        migrations.AddConstraint(
            model_name='exportresult',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', False), ('outcome', 'made'), ('reason', '')), models.Q(('answers', 0), ('digest', None), ('outcome', 'failed'), ('size', 0), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='export_made_or_why_not'),
        ),
    ]

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import reviewers.web.models
from django.conf import settings
from django.db import migrations, models

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('snapshots', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('asked_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField()),
                ('scope', models.JSONField()),
                ('form', models.CharField(max_length=20)),
                ('reason', models.TextField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'asked_at'], name='export_by_time'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='exported_for_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ExportResult',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('export', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='result', to='reports.export')),
                ('outcome', models.CharField(choices=[('made', 'Made'), ('failed', 'Failed')], max_length=8)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('made_at', models.DateTimeField()),
                ('answers', models.IntegerField(default=0)),
                ('size', models.BigIntegerField(default=0)),
                ('digest', models.BinaryField(max_length=32, null=True)),
                ('snapshots', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', False), ('outcome', 'made'), ('reason', '')), models.Q(('answers', 0), ('digest', None), ('outcome', 'failed'), ('size', 0), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='export_made_or_why_not'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ExportChunk',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('export', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='chunks', to='reports.export')),
                ('name', models.CharField(max_length=40)),
                ('number', models.IntegerField()),
                ('content', models.BinaryField()),
                ('state', models.JSONField(default=dict)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('export', 'name', 'number'), name='one_chunk_a_number'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SuggestionNames',
            fields=[
                ('snapshot', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='names', serialize=False, to='snapshots.snapshot')),
                ('terms', django.contrib.postgres.search.SearchVectorField()),
                ('near', django.contrib.postgres.search.SearchVectorField(null=True)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
            options={
                'indexes': [
                    django.contrib.postgres.indexes.GinIndex(models.F('terms'), name='reports_by_names'),
                    django.contrib.postgres.indexes.GinIndex(models.F('near'), condition=models.Q(('near__isnull', False)), name='reports_by_near_names'),
                ],
            },
        ),
        sql_file(__file__, 'search'),
    ]

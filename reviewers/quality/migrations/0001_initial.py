import django.contrib.postgres.fields
import django.db.models.deletion
import reviewers.web.models
from django.conf import settings
from django.db import migrations, models

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('review', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Delta',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('model', models.TextField()),
                ('prompt_version', models.TextField()),
                ('day', models.DateField()),
                ('section', models.TextField()),
                ('answers', models.IntegerField(db_default=0, default=0)),
                ('by_citation', models.IntegerField(db_default=0, default=0)),
                ('by_mixed', models.IntegerField(db_default=0, default=0)),
                ('by_heuristic', models.IntegerField(db_default=0, default=0)),
                ('by_none', models.IntegerField(db_default=0, default=0)),
                ('contradicted', models.IntegerField(db_default=0, default=0)),
                ('unknown', models.IntegerField(db_default=0, default=0)),
                ('absent', models.IntegerField(db_default=0, default=0)),
                ('hidden', models.IntegerField(db_default=0, default=0)),
                ('ambiguous', models.IntegerField(db_default=0, default=0)),
                ('echoed', models.IntegerField(db_default=0, default=0)),
                ('quoted', models.IntegerField(db_default=0, default=0)),
                ('malformed', models.IntegerField(db_default=0, default=0)),
                ('duplicate', models.IntegerField(db_default=0, default=0)),
                ('over_cited', models.IntegerField(db_default=0, default=0)),
                ('withheld', models.IntegerField(db_default=0, default=0)),
                ('repaired', models.IntegerField(db_default=0, default=0)),
                ('documented', models.IntegerField(db_default=0, default=0)),
                ('citing', models.IntegerField(db_default=0, default=0)),
                ('green', models.IntegerField(db_default=0, default=0)),
                ('yellow', models.IntegerField(db_default=0, default=0)),
                ('red', models.IntegerField(db_default=0, default=0)),
                ('citations', models.IntegerField(db_default=0, default=0)),
                ('quotes', models.IntegerField(db_default=0, default=0)),
                ('opposed', models.IntegerField(db_default=0, default=0)),
                ('unquoted', models.IntegerField(db_default=0, default=0)),
                ('unsupported', models.IntegerField(db_default=0, default=0)),
                ('well_sourced', models.IntegerField(db_default=0, default=0)),
                ('sentences', models.IntegerField(db_default=0, default=0)),
                ('found_afterwards', models.IntegerField(db_default=0, default=0)),
                ('submitted', models.IntegerField(db_default=0, default=0)),
                ('not_in_record', models.IntegerField(db_default=0, default=0)),
                ('blind', models.IntegerField(db_default=0, default=0)),
                ('labels', models.IntegerField(db_default=0, default=0)),
                ('given', models.IntegerField(db_default=0, default=0)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'id'], name='delta_by_organisation'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DayTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('model', models.TextField()),
                ('prompt_version', models.TextField()),
                ('day', models.DateField()),
                ('section', models.TextField()),
                ('answers', models.IntegerField(db_default=0, default=0)),
                ('by_citation', models.IntegerField(db_default=0, default=0)),
                ('by_mixed', models.IntegerField(db_default=0, default=0)),
                ('by_heuristic', models.IntegerField(db_default=0, default=0)),
                ('by_none', models.IntegerField(db_default=0, default=0)),
                ('contradicted', models.IntegerField(db_default=0, default=0)),
                ('unknown', models.IntegerField(db_default=0, default=0)),
                ('absent', models.IntegerField(db_default=0, default=0)),
                ('hidden', models.IntegerField(db_default=0, default=0)),
                ('ambiguous', models.IntegerField(db_default=0, default=0)),
                ('echoed', models.IntegerField(db_default=0, default=0)),
                ('quoted', models.IntegerField(db_default=0, default=0)),
                ('malformed', models.IntegerField(db_default=0, default=0)),
                ('duplicate', models.IntegerField(db_default=0, default=0)),
                ('over_cited', models.IntegerField(db_default=0, default=0)),
                ('withheld', models.IntegerField(db_default=0, default=0)),
                ('repaired', models.IntegerField(db_default=0, default=0)),
                ('documented', models.IntegerField(db_default=0, default=0)),
                ('citing', models.IntegerField(db_default=0, default=0)),
                ('green', models.IntegerField(db_default=0, default=0)),
                ('yellow', models.IntegerField(db_default=0, default=0)),
                ('red', models.IntegerField(db_default=0, default=0)),
                ('citations', models.IntegerField(db_default=0, default=0)),
                ('quotes', models.IntegerField(db_default=0, default=0)),
                ('opposed', models.IntegerField(db_default=0, default=0)),
                ('unquoted', models.IntegerField(db_default=0, default=0)),
                ('unsupported', models.IntegerField(db_default=0, default=0)),
                ('well_sourced', models.IntegerField(db_default=0, default=0)),
                ('sentences', models.IntegerField(db_default=0, default=0)),
                ('found_afterwards', models.IntegerField(db_default=0, default=0)),
                ('submitted', models.IntegerField(db_default=0, default=0)),
                ('not_in_record', models.IntegerField(db_default=0, default=0)),
                ('blind', models.IntegerField(db_default=0, default=0)),
                ('labels', models.IntegerField(db_default=0, default=0)),
                ('given', models.IntegerField(db_default=0, default=0)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('section', ''), models.Q(('blind', 0), _negated=True)), fields=['organisation', 'day'], name='day_with_some_blind'),
                    models.Index(condition=models.Q(('section__gt', '')), fields=['organisation', 'section', 'day', 'model', 'prompt_version'], include=('answers', 'given'), name='sections_without_their_rows'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'section', 'day', 'model', 'prompt_version'), name='one_total_a_day'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Alarm',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('model', models.TextField()),
                ('prompt_version', models.TextField()),
                ('schema_version', models.TextField(blank=True, db_default='')),
                ('figure', models.CharField(choices=[('unknown', 'Unknown fields'), ('adoption', 'Adoption'), ('over_cited', 'Over-citation'), ('contradicted', 'Contradiction'), ('repaired', 'Repair'), ('withheld', 'Abstention'), ('red', 'Validity red'), ('opposed', 'Opposed citations'), ('unquoted', 'Quotes not found'), ('unsupported', 'Unsupported figures'), ('precision', 'Audit precision')], max_length=12)),
                ('rate', models.FloatField()),
                ('trials', models.IntegerField()),
                ('hits', models.FloatField()),
                ('evidence', models.FloatField()),
                ('since', models.DateField()),
                ('day', models.DateField()),
                ('raised_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'model', 'prompt_version', 'schema_version', 'figure', 'day'), name='one_alarm_a_day'),
                    models.CheckConstraint(condition=models.Q(('figure__in', ['unknown', 'adoption', 'over_cited', 'contradicted', 'repaired', 'withheld', 'red', 'opposed', 'unquoted', 'unsupported', 'precision'])), name='alarm_figure_known'),
                    models.CheckConstraint(condition=models.Q(('rate__gt', 0), ('rate__lt', 1)), name='alarm_rate_is_a_share'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('model', models.TextField()),
                ('prompt_version', models.TextField()),
                ('schema_version', models.TextField(blank=True, db_default='')),
                ('figure', models.CharField(choices=[('unknown', 'Unknown fields'), ('adoption', 'Adoption'), ('over_cited', 'Over-citation'), ('contradicted', 'Contradiction'), ('repaired', 'Repair'), ('withheld', 'Abstention'), ('red', 'Validity red'), ('opposed', 'Opposed citations'), ('unquoted', 'Quotes not found'), ('unsupported', 'Unsupported figures'), ('precision', 'Audit precision')], max_length=12)),
                ('rate', models.FloatField(null=True)),
                ('wealths', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)),
                ('trials', models.IntegerField(default=0)),
                ('hits', models.FloatField(default=0)),
                ('since', models.DateField(null=True)),
                ('through', models.DateField()),
                ('alarm', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='quality.alarm')),
                ('profiles', models.TextField(blank=True, db_default='')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'model', 'prompt_version', 'schema_version', 'figure'), name='one_watch_a_figure'),
                    models.CheckConstraint(condition=models.Q(('figure__in', ['unknown', 'adoption', 'over_cited', 'contradicted', 'repaired', 'withheld', 'red', 'opposed', 'unquoted', 'unsupported', 'precision'])), name='watched_figure_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('rate', None), ('since', None)), models.Q(('rate__gt', 0), ('rate__lt', 1), ('since__isnull', False)), _connector='OR'), name='level_is_a_share'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Acknowledgement',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('alarm', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='acknowledgement', to='quality.alarm')),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='acknowledged_with_a_reason'),
                ],
            },
        ),
        sql_file(__file__, 'counting'),
    ]

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
        ('snapshots', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='JudgeRun',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.plan')),
                ('model', models.CharField(max_length=200)),
                ('requested_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField()),
                ('total', models.IntegerField()),
                ('done', models.IntegerField(default=0)),
                ('unread', models.IntegerField(default=0)),
                ('after', models.UUIDField(null=True)),
                ('tokens_in', models.BigIntegerField(default=0)),
                ('tokens_out', models.BigIntegerField(default=0)),
                ('finished_at', models.DateTimeField(null=True)),
                ('stopped_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('done__gte', 0), ('done__lte', models.F('total')), ('unread__lte', models.F('done'))), name='judged_of_total'),
                    models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('plan', 'model'), name='one_judge_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='JudgeLabel',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='calibration.judgerun')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshot')),
                ('section', models.TextField()),
                ('path', models.TextField()),
                ('method', models.CharField(max_length=40)),
                ('is_used', models.BooleanField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'snapshot', 'section', 'path'), name='judged_once_a_run'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LabelSet',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('digest', models.BinaryField(max_length=32)),
                ('document', models.BinaryField()),
                ('label_count', models.IntegerField()),
                ('conversation_count', models.IntegerField()),
                ('gathered_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='SeenCombination',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('model', models.CharField(blank=True, max_length=200)),
                ('prompt_version', models.CharField(blank=True, max_length=200)),
                ('schema_version', models.CharField(blank=True, max_length=200)),
                ('engine', models.CharField(max_length=80)),
                ('first_seen_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'model', 'prompt_version', 'schema_version', 'engine'), name='one_combination_a_scope'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ImportedSet',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('combination', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to='calibration.seencombination')),
                ('origin', models.CharField(choices=[('export', 'Exported labels'), ('turns', 'Labelled turns')], max_length=8)),
                ('source', models.CharField(max_length=200)),
                ('digest', models.BinaryField(max_length=32)),
                ('document', models.BinaryField()),
                ('label_count', models.IntegerField()),
                ('conversation_count', models.IntegerField()),
                ('imported_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('imported_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'combination', 'digest'), name='imported_once'),
                    models.CheckConstraint(condition=models.Q(('origin__in', ['export', 'turns'])), name='origin_known'),
                    models.CheckConstraint(condition=models.Q(('label_count__gt', 0), models.Q(('source', ''), _negated=True)), name='imported_from_somewhere'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CalibrationProfile',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('combination', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='profiles', to='calibration.seencombination')),
                ('name', models.CharField(max_length=40)),
                ('parent', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='calibration.calibrationprofile')),
                ('labels', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='profile', to='calibration.labelset')),
                ('document', models.BinaryField()),
                ('depth', models.CharField(choices=[('method_only', 'Rules only'), ('full', 'Rules, types and fields')], max_length=12)),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'name'), name='one_profile_a_name'),
                    models.CheckConstraint(condition=models.Q(('depth__in', ['method_only', 'full'])), name='profile_depth_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Suspension',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('profile', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='suspensions', to='calibration.calibrationprofile')),
                ('alarm', models.UUIDField(null=True)),
                ('suspended_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('because', models.TextField()),
                ('suspended_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('profile', 'alarm'), name='suspended_once_an_alarm'),
                    models.CheckConstraint(condition=models.Q(('because', ''), _negated=True), name='suspended_because'),
                    models.CheckConstraint(condition=models.Q(models.Q(('alarm', None), ('suspended_by__isnull', False)), models.Q(('alarm__isnull', False), ('suspended_by', None)), _connector='OR'), name='suspended_by_an_alarm_or_somebody'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Lifting',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('suspension', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='lifting', to='calibration.suspension')),
                ('lifted_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_at', models.DateTimeField()),
                ('reason', models.TextField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='lifted_with_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BackgroundTask',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('kind', models.CharField(choices=[('fit', 'Fit a profile'), ('compare', 'Compare a profile')], max_length=8)),
                ('combination', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='background_tasks', to='calibration.seencombination')),
                ('profile', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='background_tasks', to='calibration.calibrationprofile')),
                ('imports', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('thresholds', models.JSONField(default=dict)),
                ('requested_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField()),
                ('done', models.IntegerField(default=0)),
                ('total', models.IntegerField(default=0)),
                ('refused', models.TextField(blank=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['fit', 'compare'])), name='background_task_known'),
                    models.CheckConstraint(condition=models.Q(('done__gte', 0), ('done__lte', models.F('total'))), name='background_task_done_of_total'),
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'compare'), _negated=True), ('profile__isnull', False), _connector='OR'), name='compared_is_named'),
                    models.UniqueConstraint(condition=models.Q(('finished_at', None), ('kind', 'fit')), fields=('combination',), name='one_fit_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('profile', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to='calibration.calibrationprofile')),
                ('against', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='calibration.calibrationprofile')),
                ('message_count', models.IntegerField()),
                ('changed_count', models.IntegerField()),
                ('document', models.BinaryField()),
                ('changes', models.BinaryField()),
                ('compared_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('changed_count__gte', 0), ('changed_count__lte', models.F('message_count'))), name='changed_of_compared'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ProfileDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('profile', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='calibration.calibrationprofile')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('outcome', models.CharField(choices=[('approved', 'Approved'), ('rejected', 'Rejected')], max_length=10)),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField()),
                ('comparison', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='calibration.comparison')),
                ('reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('comparison__isnull', False), ('outcome', 'approved')), models.Q(('comparison', None), ('outcome', 'rejected'), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='decided_on_what'),
                    models.CheckConstraint(condition=models.Q(('outcome', 'rejected'), models.Q(('decided_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='approved_by_somebody_else'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Retirement',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('profile', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='retirement', to='calibration.calibrationprofile')),
                ('replaced_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='calibration.calibrationprofile')),
                ('retired_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('retired_at', models.DateTimeField()),
                ('reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('replaced_by__isnull', False), models.Q(('reason', ''), _negated=True), _connector='OR'), name='replaced_or_why_not'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Recomputation',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('profile', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='recomputation', to='calibration.calibrationprofile')),
                ('requested_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField()),
                ('total', models.IntegerField()),
                ('done', models.IntegerField(default=0)),
                ('after', models.UUIDField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('done__gte', 0), ('done__lte', models.F('total'))), name='done_of_total'),
                ],
            },
        ),
        migrations.AddField(
            model_name='seencombination',
            name='active',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='active_in', to='calibration.calibrationprofile'),
        ),
        migrations.AddField(
            model_name='seencombination',
            name='suspension',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='calibration.suspension'),
        ),
        migrations.AddConstraint(
            model_name='seencombination',
            constraint=models.CheckConstraint(condition=models.Q(('suspension', None), ('active__isnull', False), _connector='OR'), name='only_an_active_one_is_suspended'),
        ),
        # Foreign keys in the SQL below refer to these constraints, which have to be there by then: those of
        # CreateModel are added at the end of the migration.
        migrations.AddConstraint(
            model_name='calibrationprofile',
            constraint=models.UniqueConstraint(fields=('id', 'combination'), name='profile_with_its_combination'),
        ),
        migrations.AddConstraint(
            model_name='calibrationprofile',
            constraint=models.UniqueConstraint(fields=('id', 'proposed_by'), name='profile_with_its_proposer'),
        ),
        sql_file(__file__, 'profiles'),
    ]

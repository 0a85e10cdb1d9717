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
    ]

    operations = [
        migrations.CreateModel(
            name='Profile',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('document', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Schema',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('version', models.CharField(max_length=200)),
                ('name', models.CharField(max_length=40)),
                ('document', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('section_count', models.IntegerField()),
                ('field_count', models.IntegerField()),
                ('written_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('written_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('written_with', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.servicekey')),
            ],
        ),
        migrations.CreateModel(
            name='TrustTable',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('document', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('rule_count', models.IntegerField()),
                ('written_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('written_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('written_with', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.servicekey')),
            ],
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('external_id', models.CharField(max_length=200)),
                ('conversation_id', models.CharField(blank=True, max_length=200)),
                ('turn_index', models.IntegerField(null=True)),
                ('client_reference', models.CharField(blank=True, max_length=200)),
                ('provider', models.CharField(blank=True, max_length=200)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('prompt_version', models.CharField(blank=True, max_length=200)),
                ('schema_version', models.CharField(blank=True, max_length=200)),
                ('schema', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.schema')),
                ('answered_at', models.DateTimeField()),
                ('frozen_at', models.DateTimeField()),
                ('record', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('content_digest', models.BinaryField(max_length=32)),
                ('excerpt', models.CharField(blank=True, max_length=200)),
                ('search', django.contrib.postgres.search.SearchVectorField()),
                ('hidden_sections', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('given_sections', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None)),
                ('completeness', models.JSONField(default=dict)),
                ('completeness_threshold', models.FloatField(null=True)),
                ('instruction_reported', models.BooleanField(null=True)),
                ('instruction_switch', models.BooleanField()),
            ],
            options={
                'indexes': [
                    django.contrib.postgres.indexes.GinIndex(models.F('search'), name='snapshot_search'),
                    models.Index(condition=models.Q(('conversation_id', ''), _negated=True), fields=['organisation', 'conversation_id', 'answered_at', 'id'], name='snapshot_by_conversation'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'external_id'), name='one_snapshot_an_external_id'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SnapshotAttribution',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='attributions', to='snapshots.snapshot')),
                ('profile', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.profile')),
                ('engine_version', models.CharField(max_length=20)),
                ('attributed_at', models.DateTimeField()),
                ('document', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('source', models.CharField(max_length=20)),
                ('guardrails', models.JSONField(default=dict)),
                ('sections', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('field_count', models.IntegerField()),
                ('found_count', models.IntegerField()),
                ('cited_count', models.IntegerField()),
                ('below_count', models.IntegerField(db_default=0, default=0)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('snapshot', 'profile', 'engine_version'), name='one_attribution_a_profile'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SnapshotDocuments',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('attribution', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='snapshots.snapshotattribution')),
                ('document', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('issues', models.JSONField(default=dict)),
                ('validity', models.CharField(max_length=20)),
                ('trust', models.CharField(max_length=20)),
                ('source_count', models.IntegerField()),
                ('cited_count', models.IntegerField()),
                ('policy', models.JSONField(default=dict)),
                ('trust_table', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.trusttable')),
                ('repaired_count', models.IntegerField(default=0)),
                ('citation_counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('is_withheld', models.BooleanField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='CitationSearch',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('attribution', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='searches', to='snapshots.snapshotattribution')),
                ('number', models.SmallIntegerField()),
                ('method', models.CharField(max_length=10)),
                ('asked_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'asked_at'], name='search_by_time'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('attribution', 'number'), name='one_search_a_number'),
                    models.CheckConstraint(condition=models.Q(('method__in', ['words', 'model'])), name='search_method_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CitationSearchResult',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('search', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='result', to='snapshots.citationsearch')),
                ('outcome', models.CharField(choices=[('found', 'Found'), ('nothing', 'Nothing found'), ('failed', 'Failed'), ('skipped', 'Skipped')], max_length=10)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('document', models.BinaryField(null=True)),
                ('digest', models.BinaryField(max_length=32, null=True)),
                ('found_count', models.IntegerField(default=0)),
                ('refused_count', models.IntegerField(default=0)),
                ('attempts', models.SmallIntegerField()),
                ('begun_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', False), ('document__isnull', False), ('outcome__in', ['found', 'nothing']), ('reason', '')), models.Q(('digest', None), ('document', None), ('outcome__in', ['failed', 'skipped']), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='search_ended_or_why_not'),
                    models.CheckConstraint(condition=models.Q(models.Q(('found_count__gt', 0), ('outcome', 'found')), models.Q(models.Q(('outcome', 'found'), _negated=True), ('found_count', 0)), _connector='OR'), name='found_is_counted'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SchemaProposal',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('proposed_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='snapshots.schema')),
            ],
        ),
        migrations.CreateModel(
            name='SchemaDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('schema_version', models.CharField(max_length=200)),
                ('outcome', models.CharField(choices=[('approved', 'Approved'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('decided_at', models.DateTimeField()),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='snapshots.schema')),
                ('proposal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='snapshots.schemaproposal')),
            ],
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.UniqueConstraint(fields=('organisation', 'name'), name='one_schema_a_content'),
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.UniqueConstraint(fields=('id', 'organisation', 'version'), name='schema_with_its_version'),
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.CheckConstraint(condition=models.Q(('version', ''), _negated=True), name='schema_has_a_version'),
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('written_by', None), ('written_with__isnull', False)), models.Q(('written_by__isnull', False), ('written_with', None)), _connector='OR'), name='schema_written_by_one'),
        ),
        migrations.AddConstraint(
            model_name='schemaproposal',
            constraint=models.UniqueConstraint(fields=('id', 'version', 'proposed_by'), name='schemaproposal_has_one_proposer'),
        ),
        migrations.AddConstraint(
            model_name='schemadecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('proposed_by')), ('outcome', 'withdrawn')), models.Q(('outcome__in', ['approved', 'declined']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='schemadecision_takes_two'),
        ),
        migrations.AddConstraint(
            model_name='schemadecision',
            constraint=models.UniqueConstraint(condition=models.Q(('outcome', 'approved')), fields=('organisation', 'schema_version'), name='schema_version_approved_once'),
        ),
        sql_file(__file__, 'schemas'),
        migrations.CreateModel(
            name='TrustProposal',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('proposed_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='snapshots.trusttable')),
                ('base', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.trusttable')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='TrustDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('outcome', models.CharField(choices=[('approved', 'Approved'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('decided_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='snapshots.trustproposal')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='snapshots.trusttable')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='trustdecision',
            index=models.Index(condition=models.Q(('outcome', 'approved')), fields=['organisation', '-decided_at', '-id'], name='trust_in_use'),
        ),
        migrations.AddConstraint(
            model_name='trustdecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('proposed_by')), ('outcome', 'withdrawn')), models.Q(('outcome__in', ['approved', 'declined']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='trustdecision_takes_two'),
        ),
        migrations.AddConstraint(
            model_name='trustproposal',
            constraint=models.UniqueConstraint(fields=('id', 'version', 'proposed_by'), name='trustproposal_has_one_proposer'),
        ),
        migrations.AddConstraint(
            model_name='trustproposal',
            constraint=models.CheckConstraint(condition=models.Q(('base', None), models.Q(('base', models.F('version')), _negated=True), _connector='OR'), name='trust_proposal_changes_something'),
        ),
        migrations.AddConstraint(
            model_name='trusttable',
            constraint=models.UniqueConstraint(fields=('organisation', 'number'), name='one_trust_table_a_number'),
        ),
        migrations.AddConstraint(
            model_name='trusttable',
            constraint=models.UniqueConstraint(fields=('organisation', 'digest'), name='one_trust_table_a_text'),
        ),
        migrations.AddConstraint(
            model_name='trusttable',
            constraint=models.UniqueConstraint(fields=('id', 'organisation'), name='trust_table_with_its_organisation'),
        ),
        migrations.AddConstraint(
            model_name='trusttable',
            constraint=models.CheckConstraint(condition=models.Q(('number__gt', 0), ('rule_count__gte', 0)), name='trust_table_counted'),
        ),
        migrations.AddConstraint(
            model_name='trusttable',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('written_by', None), ('written_with__isnull', False)), models.Q(('written_by__isnull', False), ('written_with', None)), _connector='OR'), name='trusttable_written_by_one'),
        ),
        sql_file(__file__, 'trust'),
        migrations.CreateModel(
            name='Trace',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('trace_id', models.CharField(max_length=32)),
                ('state', models.CharField(choices=[('waiting', 'Waiting for spans'), ('frozen', 'A snapshot'), ('no_turn', 'No turn'), ('refused', 'Refused')], default='waiting', max_length=10)),
                ('first_at', models.DateTimeField()),
                ('last_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('has_root', models.BooleanField(default=False)),
                ('span_ids', models.BinaryField(default=b'')),
                ('span_count', models.IntegerField(default=0)),
                ('size', models.IntegerField(default=0)),
                ('late_count', models.IntegerField(default=0)),
                ('service', models.CharField(blank=True, max_length=100)),
                ('outline', models.JSONField(default=list)),
                ('origins', models.JSONField(default=dict)),
                ('findings', models.JSONField(default=list)),
                ('unread', models.JSONField(default=list)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('key', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.servicekey')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='traces', to='snapshots.snapshot')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', '-first_at'], name='trace_newest'),
                    models.Index(condition=models.Q(('state', 'waiting')), fields=['organisation', 'key'], include=('size',), name='trace_waiting'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'trace_id'), name='one_row_a_trace'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'waiting')), models.Q(models.Q(('state', 'waiting'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='trace_ended_or_waiting'),
                    models.CheckConstraint(condition=models.Q(models.Q(('snapshot__isnull', False), ('state', 'frozen')), models.Q(models.Q(('state', 'frozen'), _negated=True), ('snapshot', None)), _connector='OR'), name='trace_frozen_as_snapshot'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WaitingSpans',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('content', models.BinaryField()),
                ('key', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.servicekey')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('trace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='waiting', to='snapshots.trace')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SupportRequest',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.SmallIntegerField()),
                ('asked_at', models.DateTimeField()),
                ('attribution', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='support_requests', to='snapshots.snapshotattribution')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='SupportJudgement',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('source', models.TextField()),
                ('is_own', models.BooleanField()),
                ('start', models.IntegerField()),
                ('end', models.IntegerField()),
                ('repeat', models.IntegerField(default=0)),
                ('verdict', models.CharField(blank=True, choices=[('supports', 'supports'), ('contradicts', 'contradicts'), ('does_not_say', 'does not say')], max_length=16)),
                ('reason', models.CharField(blank=True, max_length=20)),
                ('sentence_start', models.IntegerField(null=True)),
                ('sentence_end', models.IntegerField(null=True)),
                ('model', models.CharField(max_length=200)),
                ('question', models.CharField(max_length=20)),
                ('question_digest', models.BinaryField(max_length=32, null=True)),
                ('requests', models.SmallIntegerField()),
                ('tokens_in', models.IntegerField()),
                ('tokens_out', models.IntegerField()),
                ('judged_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('request', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='snapshots.supportrequest')),
            ],
        ),
        migrations.CreateModel(
            name='SupportResult',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('outcome', models.CharField(choices=[('judged', 'Judged'), ('failed', 'Failed'), ('skipped', 'Skipped')], max_length=10)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('attempts', models.SmallIntegerField()),
                ('begun_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='result', to='snapshots.supportrequest')),
            ],
        ),
        migrations.AddIndex(
            model_name='supportrequest',
            index=models.Index(fields=['organisation', 'asked_at'], name='support_request_by_time'),
        ),
        migrations.AddConstraint(
            model_name='supportrequest',
            constraint=models.UniqueConstraint(fields=('attribution', 'number'), name='one_support_request_a_number'),
        ),
        migrations.AddIndex(
            model_name='supportjudgement',
            index=models.Index(condition=models.Q(('question_digest__isnull', False)), fields=['organisation', 'question_digest'], name='judgement_by_question'),
        ),
        migrations.AddIndex(
            model_name='supportjudgement',
            index=models.Index(fields=['organisation', 'judged_at'], include=('requests',), name='judgement_by_time'),
        ),
        migrations.AddConstraint(
            model_name='supportjudgement',
            constraint=models.UniqueConstraint(fields=('request', 'number'), name='one_judgement_a_citation'),
        ),
        migrations.AddConstraint(
            model_name='supportjudgement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('verdict__in', ['supports', 'contradicts', 'does_not_say'])), models.Q(('verdict', ''), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='judged_or_why_not'),
        ),
        migrations.AddConstraint(
            model_name='supportjudgement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('sentence_end', None), ('sentence_start', None), ('verdict__in', ['', 'does_not_say'])), models.Q(('sentence_end__gt', models.F('sentence_start')), ('sentence_end__isnull', False), ('sentence_start__gte', 0), models.Q(('verdict', ''), _negated=True)), _connector='OR'), name='judged_by_a_sentence'),
        ),
        migrations.AddConstraint(
            model_name='supportjudgement',
            constraint=models.CheckConstraint(condition=models.Q(('end__gt', models.F('start')), ('start__gte', 0)), name='judged_from_and_to'),
        ),
        migrations.AddConstraint(
            model_name='supportjudgement',
            constraint=models.CheckConstraint(condition=models.Q(('requests__gte', 0), ('tokens_in__gte', 0), ('tokens_out__gte', 0)), name='judgement_cost_counted'),
        ),
        migrations.AddConstraint(
            model_name='supportresult',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'judged'), ('reason', '')), models.Q(('outcome__in', ['failed', 'skipped']), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='support_judged_or_why_not'),
        ),
    ]

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import reviewers.web.models
from django.conf import settings
from django.db import migrations, models

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('ledger', '0001_initial'),
        ('snapshots', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='CitationLabel',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='citation_labels', to='snapshots.snapshot')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='citation_labels', to=settings.AUTH_USER_MODEL)),
                ('source', models.TextField()),
                ('is_own', models.BooleanField()),
                ('start', models.IntegerField(null=True)),
                ('end', models.IntegerField(null=True)),
                ('repeat', models.IntegerField(default=0)),
                ('verdict', models.CharField(choices=[('supports', 'Supports'), ('does_not_say', 'Does not say'), ('contradicts', 'Contradicts'), ('cannot_judge', 'Can’t judge'), ('none', 'No label')], max_length=16)),
                ('note', models.TextField(blank=True)),
                ('reason', models.TextField(blank=True)),
                ('shown', models.JSONField(default=dict)),
                ('replaces', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.citationlabel')),
                ('action_id', models.UUIDField()),
                ('undoes', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['snapshot', 'reviewer', 'id'], name='citation_label_by_review'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['supports', 'does_not_say', 'contradicts', 'cannot_judge', 'none'])), name='citation_verdict_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('start', None)), models.Q(('end__gt', models.F('start')), ('end__isnull', False), ('start__gte', 0)), _connector='OR'), name='cited_from_and_to'),
                    models.CheckConstraint(condition=models.Q(('repeat__gte', 0)), name='citation_repeat_counted'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='snapshots.snapshot')),
                ('round', models.SmallIntegerField()),
                ('kind', models.CharField(choices=[('field', 'Field'), ('citation', 'Citation'), ('claim', 'Claim')], max_length=8)),
                ('section', models.TextField(blank=True)),
                ('path', models.TextField(blank=True)),
                ('source', models.TextField(blank=True)),
                ('is_own', models.BooleanField(null=True)),
                ('start', models.IntegerField(null=True)),
                ('end', models.IntegerField(null=True)),
                ('repeat', models.IntegerField(default=0)),
                ('verdict', models.CharField(max_length=16)),
                ('reason', models.TextField()),
                ('labels', models.JSONField()),
                ('attribution', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshotattribution')),
                ('replaces', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.decision')),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['snapshot', 'round', 'id'], name='decision_by_item'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('is_own', None), ('kind', 'field'), ('repeat', 0), ('source', ''), ('start', None)), models.Q(('is_own__isnull', False), ('kind', 'citation'), ('path', ''), ('section', '')), models.Q(('is_own', None), ('kind', 'claim'), ('path', ''), ('repeat', 0), ('section', ''), ('source', ''), ('start__isnull', False)), _connector='OR'), name='decided_row_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('start', None)), models.Q(('end__gt', models.F('start')), ('end__isnull', False), ('start__gte', 0)), _connector='OR'), name='decided_from_and_to'),
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'field'), ('verdict__in', ['correct', 'wrong', 'misstated', 'cannot_judge'])), models.Q(('kind', 'citation'), ('verdict__in', ['supports', 'does_not_say', 'contradicts', 'cannot_judge'])), models.Q(('kind', 'claim'), ('verdict__in', ['unsupported', 'supported'])), _connector='OR'), name='decided_verdict_known'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='decided_with_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Reopening',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reopenings', to='snapshots.snapshot')),
                ('round', models.SmallIntegerField()),
                ('reason', models.TextField()),
                ('reopened_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reopened_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('snapshot', 'round'), name='reopened_once_a_round'),
                    models.CheckConstraint(condition=models.Q(('round__gte', 2)), name='reopened_after_the_first'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='reopened_with_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Guide',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('text', models.TextField()),
                ('digest', models.BinaryField(max_length=32)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'digest'), name='one_guide_a_text'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Plan',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('name', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('running', 'Running'), ('finished', 'Finished'), ('stopped', 'Stopped')], default='draft', max_length=10)),
                ('candidates', models.JSONField(default=dict)),
                ('draw', models.CharField(choices=[('all', 'All of them'), ('share', 'A share of them, at random'), ('number', 'A number of them, at random'), ('stratified', 'A number of them, evenly over strata'), ('triggered', 'None now; only what the triggers call for')], default='all', max_length=12)),
                ('share', models.FloatField(null=True)),
                ('size', models.IntegerField(null=True)),
                ('seed', models.CharField(max_length=64)),
                ('triggers', models.JSONField(default=dict)),
                ('overlap', models.SmallIntegerField(default=1)),
                ('is_blind', models.BooleanField(default=False)),
                ('rule', models.CharField(choices=[('unanimous', 'All agree'), ('majority', 'More than half agree'), ('lead', 'A lead decides')], default='unanimous', max_length=10)),
                ('stream', models.CharField(choices=[('none', 'nothing extra'), ('audit', 'testing'), ('boost', 'training')], default='none', max_length=6)),
                ('guide', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.guide')),
                ('control_share', models.FloatField(default=0)),
                ('due_on', models.DateField(null=True)),
                ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('started_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ended_at', models.DateTimeField(null=True)),
                ('watched_until', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'state', 'id'], name='plan_by_state'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('rule__in', ['unanimous', 'majority', 'lead'])), name='plan_rule_known'),
                    models.CheckConstraint(condition=models.Q(('stream__in', ['none', 'boost']), models.Q(('draw__in', ['all', 'share', 'number']), ('is_blind', True), ('stream', 'audit'), ('triggers', {})), _connector='OR'), name='audit_is_blind_and_simple'),
                    models.CheckConstraint(condition=models.Q(models.Q(('draw__in', ['all', 'triggered']), ('share', None), ('size', None)), models.Q(('draw', 'share'), ('share__gt', 0), ('share__isnull', False), ('share__lte', 1), ('size', None)), models.Q(('draw__in', ['number', 'stratified']), ('share', None), ('size__gte', 1), ('size__isnull', False)), _connector='OR'), name='plan_draws_so_many'),
                    models.CheckConstraint(condition=models.Q(('overlap__gte', 1), ('overlap__lte', 5)), name='plan_overlap_in_bounds'),
                    models.CheckConstraint(condition=models.Q(('control_share', 0), models.Q(('control_share__gt', 0), ('control_share__lte', 0.5), ('is_blind', True)), _connector='OR'), name='control_rows_in_blind_plans'),
                    models.CheckConstraint(condition=models.Q(models.Q(('started_at', None), ('started_by', None)), models.Q(('started_at__isnull', False), ('started_by__isnull', False)), _connector='OR'), name='plan_started_by_and_at'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='plan_ended_by_and_at'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('started_at', None), ('state', 'draft')), models.Q(('ended_at', None), ('started_at__isnull', False), ('state', 'running')), models.Q(('ended_at__isnull', False), ('started_at__isnull', False), ('state', 'finished')), models.Q(('ended_at__isnull', False), ('state', 'stopped')), _connector='OR'), name='plan_state_and_times'),
                    models.UniqueConstraint(fields=('id', 'overlap', 'is_blind'), name='plan_with_its_terms'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SamplingFrame',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('plan', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='frame', to='review.plan')),
                ('document', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('count', models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('kind', models.CharField(choices=[('client', 'A client'), ('conversation', 'A conversation'), ('plan', 'A plan'), ('period', 'A period')], max_length=12)),
                ('reference', models.CharField(blank=True, max_length=200)),
                ('plan', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.plan')),
                ('since', models.DateField(null=True)),
                ('until', models.DateField(null=True)),
                ('reason', models.TextField()),
                ('placed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('placed_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'id'], name='hold_by_organisation'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['client', 'conversation']), ('plan', None), ('since', None), ('until', None), models.Q(('reference', ''), _negated=True)), models.Q(('kind', 'plan'), ('plan__isnull', False), ('reference', ''), ('since', None), ('until', None)), models.Q(('kind', 'period'), ('plan', None), ('reference', ''), models.Q(('since__isnull', False), ('until__isnull', False), _connector='OR')), _connector='OR'), name='hold_covers_one_thing'),
                    models.CheckConstraint(condition=models.Q(('since', None), ('until', None), ('since__lte', models.F('until')), _connector='OR'), name='hold_from_and_to'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='held_with_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LiftProposal',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('hold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='review.hold')),
                ('reason', models.TextField()),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='lift_proposed_with_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LiftDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='review.liftproposal')),
                ('hold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='review.hold')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('outcome', models.CharField(choices=[('lifted', 'Lifted'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('proposed_by')), ('outcome', 'withdrawn')), models.Q(('outcome__in', ['lifted', 'declined']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='lifting_takes_two'),
                    models.UniqueConstraint(condition=models.Q(('outcome', 'lifted')), fields=('hold',), name='hold_lifted_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QueueItem',
            fields=[
                ('snapshot', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='item', serialize=False, to='snapshots.snapshot')),
                ('attribution', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshotattribution')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('answered_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('to_do', 'To do'), ('skipped', 'Skipped'), ('submitted', 'Submitted')], default='to_do', max_length=12)),
                ('facets', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('citation_counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), db_default=[], default=list, size=None)),
                ('found_count', models.IntegerField()),
                ('skipped_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('skip_reason', models.TextField(blank=True)),
                ('submitted_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submitted_at', models.DateTimeField(null=True)),
                ('plan', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='queued', to='review.plan')),
                ('overlap', models.SmallIntegerField(db_default=1, default=1)),
                ('is_blind', models.BooleanField(db_default=False, default=False)),
                ('phase', models.CharField(choices=[('independent', 'Independent'), ('consolidating', 'Consolidating'), ('complete', 'Complete')], db_default='independent', default='independent', max_length=13)),
                ('round', models.SmallIntegerField(db_default=1, default=1)),
                ('has_unsupported', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'answered_at', 'snapshot'], name='queue_by_time'),
                    models.Index(fields=['organisation', 'state', 'answered_at', 'snapshot'], name='queue_by_state'),
                    django.contrib.postgres.indexes.GinIndex(models.F('facets'), name='queue_by_facet'),
                    models.Index(condition=models.Q(('plan__isnull', False)), fields=['plan', 'state', 'answered_at', 'snapshot'], name='queue_by_plan'),
                    models.Index(condition=models.Q(('phase', 'consolidating')), fields=['organisation', 'submitted_at', 'snapshot'], name='queue_in_conflict'),
                    models.Index(
                        condition=models.Q(('is_blind', True), ('phase', 'independent')),
                        fields=['organisation', 'snapshot'],
                        name='queue_under_blind_review',
                    ),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('plan__isnull', False), models.Q(('is_blind', False), ('overlap', 1)), _connector='OR'), name='overlap_is_a_plans'),
                    models.CheckConstraint(condition=models.Q(models.Q(('phase__in', ['consolidating', 'complete']), ('state', 'submitted')), models.Q(models.Q(('state', 'submitted'), _negated=True), ('phase', 'independent')), _connector='OR'), name='item_phase_and_state'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['to_do', 'skipped', 'submitted'])), name='item_state_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('skipped_by__isnull', False), ('state', 'skipped'), models.Q(('skip_reason', ''), _negated=True)), models.Q(('state', 'skipped'), _negated=True), _connector='OR'), name='skipped_by_and_why'),
                    models.CheckConstraint(condition=models.Q(models.Q(('submitted_at', None), ('submitted_by', None)), models.Q(('submitted_at__isnull', False), ('submitted_by__isnull', False)), _connector='OR'), name='submitted_by_and_at'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PlanItem',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='review.plan')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drawn', to='review.queueitem')),
                ('ordinal', models.IntegerField()),
                ('stratum', models.TextField()),
                ('probability', models.FloatField()),
                ('trigger', models.TextField(blank=True)),
                ('added_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['plan', 'ordinal'], name='drawn_in_order'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('plan', 'item'), name='drawn_once_a_plan'),
                    models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='probability_in_bounds'),
                    models.CheckConstraint(condition=models.Q(('ordinal__gte', 0)), name='drawn_in_a_place'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ControlRow',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('drawn', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='control_rows', to='review.planitem')),
                ('section', models.TextField()),
                ('path', models.TextField()),
                ('is_right', models.BooleanField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('drawn', 'section', 'path'), name='seeded_once_a_row'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Lease',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='leases', to='review.queueitem')),
                ('slot', models.SmallIntegerField(default=1)),
                ('overlap', models.SmallIntegerField(db_default=1, default=1)),
                ('holder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='leases', to=settings.AUTH_USER_MODEL)),
                ('taken_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'slot'), name='one_lease_a_slot'),
                    models.UniqueConstraint(fields=('item', 'holder'), name='one_lease_a_holder'),
                    models.CheckConstraint(condition=models.Q(('slot__gte', 1), ('slot__lte', models.F('overlap'))), name='slot_within_overlap'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Aside',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='asides', to='review.queueitem')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('put_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'reviewer'), name='aside_once_a_reviewer'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Label',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='snapshots.snapshot')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to=settings.AUTH_USER_MODEL)),
                ('section', models.TextField()),
                ('path', models.TextField()),
                ('verdict', models.CharField(choices=[('correct', 'Correct'), ('wrong', 'Wrong'), ('misstated', 'Misstated'), ('cannot_judge', 'Can’t judge'), ('none', 'No label')], max_length=12)),
                ('truth', models.CharField(choices=[('used', 'Used'), ('not_used', 'Not used'), ('unknown', 'Cannot judge'), ('none', 'No label')], max_length=12)),
                ('is_misstated', models.BooleanField(default=False)),
                ('note', models.TextField(blank=True)),
                ('reason', models.TextField(blank=True)),
                ('shown', models.JSONField(default=dict)),
                ('replaces', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.label')),
                ('action_id', models.UUIDField()),
                ('undoes', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['snapshot', 'reviewer', 'id'], name='label_by_review'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['correct', 'wrong', 'misstated', 'cannot_judge', 'none'])), name='verdict_known'),
                    models.CheckConstraint(condition=models.Q(('truth__in', ['used', 'not_used', 'unknown', 'none'])), name='truth_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('truth', 'none'), ('verdict', 'none')), models.Q(models.Q(('verdict', 'none'), _negated=True), models.Q(('truth', 'none'), _negated=True)), _connector='OR'), name='verdict_and_truth'),
                    models.CheckConstraint(condition=models.Q(('is_misstated', False), models.Q(('truth', 'used'), ('verdict', 'misstated')), _connector='OR'), name='misstated_means_used'),
                ],
            },
        ),
        migrations.CreateModel(
            name='UnsupportedClaim',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='unsupported_claims', to='snapshots.snapshot')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='unsupported_claims', to=settings.AUTH_USER_MODEL)),
                ('start', models.IntegerField()),
                ('end', models.IntegerField()),
                ('verdict', models.CharField(choices=[('unsupported', 'Not in the record'), ('none', 'No label')], max_length=12)),
                ('note', models.TextField(blank=True)),
                ('reason', models.TextField(blank=True)),
                ('shown', models.JSONField(default=dict)),
                ('replaces', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.unsupportedclaim')),
                ('action_id', models.UUIDField()),
                ('undoes', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['snapshot', 'reviewer', 'id'], name='claim_by_review'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['unsupported', 'none'])), name='claim_verdict_known'),
                    models.CheckConstraint(condition=models.Q(('end__gt', models.F('start')), ('start__gte', 0)), name='claim_from_and_to'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='snapshots.snapshot')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ('slot', models.SmallIntegerField(db_default=1, default=1)),
                ('round', models.SmallIntegerField(db_default=1, default=1)),
                ('submitted_at', models.DateTimeField()),
                ('label_count', models.IntegerField()),
                ('digest', models.BinaryField(max_length=32)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['reviewer', 'submitted_at'], name='submission_by_reviewer'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('snapshot', 'round', 'reviewer'), name='one_submission_a_reviewer'),
                    models.UniqueConstraint(fields=('snapshot', 'round', 'slot'), name='one_submission_a_slot'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Signature',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('signer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='signatures', to=settings.AUTH_USER_MODEL)),
                ('printed_name', models.CharField(max_length=200)),
                ('meaning', models.CharField(choices=[('reviewed', 'Reviewed'), ('adjudicated', 'Adjudicated'), ('approved', 'Approved')], max_length=12)),
                ('signed_at', models.DateTimeField()),
                ('zone', models.CharField(max_length=64)),
                ('object_type', models.CharField(choices=[('review', 'Review')], max_length=12)),
                ('object_id', models.UUIDField()),
                ('review', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='signatures', to='review.submission')),
                ('attribution', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshotattribution')),
                ('label_count', models.IntegerField(null=True)),
                ('statement', models.BinaryField()),
                ('digest', models.BinaryField(max_length=32)),
                ('proof', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.proof')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation', 'id'], name='signature_by_organisation'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('object_type', 'object_id', 'signer', 'meaning', 'digest'), name='signed_once'),
                    models.UniqueConstraint(fields=('proof', 'object_id'), name='signed_once_a_proof'),
                    models.CheckConstraint(condition=models.Q(('meaning__in', ['reviewed', 'adjudicated', 'approved'])), name='meaning_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('printed_name', ''), _negated=True), models.Q(('zone', ''), _negated=True)), name='signed_by_name_in_a_zone'),
                    models.CheckConstraint(condition=models.Q(('attribution__isnull', False), ('label_count__isnull', False), ('object_type', 'review'), ('review', models.F('object_id'))), name='signed_object_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='snapshots.snapshot')),
                ('reviewer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('finding', 'A finding'), ('row', 'A field'), ('citation', 'A citation'), ('words', 'Words of the answer')], default='finding', max_length=8)),
                ('finding', models.TextField(blank=True)),
                ('place', models.JSONField(default=dict)),
                ('note', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('request', models.UUIDField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'id'], name='flag_by_organisation')],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'finding'), models.Q(('finding', ''), _negated=True)), models.Q(('finding', ''), ('kind__in', ['row', 'citation', 'words'])), _connector='OR'), name='flagged_place_known'),
                    models.UniqueConstraint(condition=models.Q(('request__isnull', False)), fields=('snapshot', 'reviewer', 'request'), name='one_flag_a_request'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FlagResolution',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('flag', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='resolution', to='review.flag')),
                ('resolved_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('note', models.TextField()),
                ('resolved_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('note', ''), _negated=True), name='resolved_with_a_note'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='snapshots.snapshot')),
                ('author', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('text', models.TextField()),
                ('written_at', models.DateTimeField()),
                ('request', models.UUIDField(null=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='comment_has_words'),
                    models.UniqueConstraint(condition=models.Q(('request__isnull', False)), fields=('snapshot', 'author', 'request'), name='one_comment_a_request'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('comment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='mentions', to='review.comment')),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['person', 'organisation'], name='mention_by_person')],
                'constraints': [
                    models.UniqueConstraint(fields=('comment', 'person'), name='mentioned_once_a_comment'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=60)),
                ('query', models.TextField(blank=True)),
                ('is_shared', models.BooleanField(default=False)),
                ('is_removed', models.BooleanField(default=False)),
                ('replaces', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='successor', to='review.savedview')),
                ('saved_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'owner'], name='saved_view_by_owner')],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='view_has_a_name'),
                    models.CheckConstraint(condition=models.Q(('is_removed', False), ('replaces__isnull', False), _connector='OR'), name='only_a_saved_view_is_removed'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CountedName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('kind', models.TextField()),
                ('of_model', models.TextField(blank=True)),
                ('name', models.TextField()),
                ('first_id', models.UUIDField()),
                ('first_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'kind', 'of_model', 'name'), name='one_counted_name'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('facet', models.TextField()),
                ('shard', models.SmallIntegerField()),
                ('count', models.BigIntegerField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'facet', 'shard'), name='one_tally_a_shard'),
                ],
            },
        ),
        # Foreign keys in the SQL below refer to these constraints, which have to be there by then: those of
        # CreateModel are added at the end of the migration.
        migrations.AddConstraint(
            model_name='liftproposal',
            constraint=models.UniqueConstraint(fields=('id', 'hold', 'proposed_by'), name='lift_has_one_proposer'),
        ),
        migrations.AddConstraint(
            model_name='queueitem',
            constraint=models.UniqueConstraint(fields=('snapshot', 'overlap'), name='item_with_its_overlap'),
        ),
        sql_file(__file__, 'queue'),
        sql_file(__file__, 'plans'),
        sql_file(__file__, 'holds'),
        sql_file(__file__, 'signatures'),
    ]

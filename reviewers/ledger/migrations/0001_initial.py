import django.db.models.deletion
import reviewers.web.models
from django.db import migrations, models

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Redaction',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('object_type', models.CharField(max_length=12)),
                ('object_id', models.UUIDField()),
                ('parts', models.JSONField()),
                ('basis', models.CharField(choices=[('erasure', 'The person asked for erasure (GDPR Article 17)'), ('consent', 'Consent was withdrawn (GDPR Articles 7 and 17)'), ('not_needed', 'More was recorded than is needed (GDPR Article 5, HIPAA minimum necessary)'), ('misdirected', 'It is about somebody else, and came here by mistake'), ('order', 'A court or an authority ordered it')], max_length=12)),
                ('reason', models.TextField()),
                ('proposed_by', models.UUIDField()),
                ('proposed_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation_id', 'object_id'], name='redaction_by_object'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('basis__in', ['erasure', 'consent', 'not_needed', 'misdirected', 'order'])), name='redaction_basis_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), _negated=True), models.Q(('parts', []), _negated=True)), name='redaction_of_something_and_why'),
                    models.UniqueConstraint(fields=('id', 'proposed_by'), name='redaction_has_one_proposer'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RedactionDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('redaction', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='ledger.redaction')),
                ('proposed_by', models.UUIDField()),
                ('outcome', models.CharField(choices=[('approved', 'Approved'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('decided_by', models.UUIDField()),
                ('decided_at', models.DateTimeField()),
                ('touched', models.JSONField(default=list)),
                ('made_in', models.BigIntegerField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('proposed_by')), ('outcome', 'withdrawn')), models.Q(('outcome__in', ['approved', 'declined']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='redaction_takes_two'),
                    models.CheckConstraint(condition=models.Q(('outcome', 'approved'), ('touched', []), _connector='OR'), name='only_an_approved_one_touches'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('action', models.CharField(max_length=40)),
                ('actor_id', models.UUIDField(null=True)),
                ('object_id', models.UUIDField()),
                ('occurred_at', models.DateTimeField()),
                ('body', models.BinaryField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation_id', 'object_id', 'occurred_at'], name='event_by_object'),
                    models.Index(fields=['organisation_id', 'occurred_at'], name='event_by_time'),
                    models.Index(condition=models.Q(('actor_id', None), _negated=True), fields=['organisation_id', 'actor_id', 'occurred_at'], name='event_by_person'),
                    models.Index(condition=models.Q(('action', 'snapshot.viewed')), fields=['organisation_id', 'object_id', 'actor_id', 'occurred_at'], name='answer_opened_by_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='EventSecret',
            fields=[
                ('event_id', models.UUIDField(primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('salt_seed', models.BinaryField()),
                ('payload', models.BinaryField(null=True)),
                ('column_checks', models.BinaryField(default=b'')),
            ],
        ),
        migrations.CreateModel(
            name='Pending',
            fields=[
                ('event_id', models.UUIDField(primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='Log',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('epoch', models.IntegerField()),
                ('origin', models.CharField(max_length=200, unique=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation_id', 'epoch'), name='one_log_an_epoch'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LogKey',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('log', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='ledger.log')),
                ('public', models.BinaryField(max_length=32)),
            ],
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='Leaf',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('log', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.log')),
                ('index', models.BigIntegerField()),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('log', 'index'), name='one_leaf_an_index'),
                ],
            },
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='Node',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('log', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.log')),
                ('level', models.SmallIntegerField()),
                ('index', models.BigIntegerField()),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('log', 'level', 'index'), name='one_node_a_place'),
                ],
            },
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='Checkpoint',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('log', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.log')),
                ('size', models.BigIntegerField()),
                ('note', models.TextField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('log', 'size'), name='one_root_a_size'),
                ],
            },
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='Verification',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('begun_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField()),
                ('event_count', models.BigIntegerField()),
                ('row_count', models.BigIntegerField()),
                ('checkpoint_count', models.BigIntegerField()),
                ('difference', models.TextField(blank=True)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['organisation_id', 'finished_at'], name='verification_by_time'),
                ],
            },
        ),
        sql_file(__file__, 'sealing'),
        sql_file(__file__, 'redaction_rules'),
        sql_file(__file__, 'redacting'),
    ]

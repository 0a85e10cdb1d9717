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
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('address', models.CharField(blank=True, max_length=500)),
                ('is_daily', models.BooleanField(db_default=False, default=False)),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('record.contradicted', 'An answer contradicts its record'), ('flag.raised', 'A reviewer flagged a place of an answer'), ('conflict.found', 'The labels of an answer conflict'), ('alarm.raised', 'An alarm of quality was raised'), ('report.finished', 'A report is finished'), ('report.failed', 'A report could not be made'), ('profile.proposed', 'A profile waits for approval'), ('profile.suspended', 'A profile is suspended'), ('plan.finished', 'A plan is complete'), ('verification.failed', 'A verification of the ledger failed'), ('endpoint.off', 'A webhook endpoint went off, as nothing could be delivered')], max_length=30), size=None)),
                ('includes_text', models.BooleanField(db_default=False, default=False)),
                ('sealed_secret', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
                ('off_reason', models.CharField(blank=True, choices=[('person', 'Switched off'), ('gone', 'Off: it answered 410, gone'), ('failing', 'Off: a delivery failed for a day'), ('left', 'Off: is no member any more')], db_default='', default='', max_length=10)),
                ('switched_at', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('subscriber', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('record.contradicted', 'An answer contradicts its record'), ('flag.raised', 'A reviewer flagged a place of an answer'), ('conflict.found', 'The labels of an answer conflict'), ('alarm.raised', 'An alarm of quality was raised'), ('report.finished', 'A report is finished'), ('report.failed', 'A report could not be made'), ('profile.proposed', 'A profile waits for approval'), ('profile.suspended', 'A profile is suspended'), ('plan.finished', 'A plan is complete'), ('verification.failed', 'A verification of the ledger failed'), ('endpoint.off', 'A webhook endpoint went off, as nothing could be delivered')], max_length=30)),
                ('object_id', models.UUIDField()),
                ('happened_at', models.DateTimeField()),
                ('body', models.TextField()),
                ('item', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.queueitem')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='webhooks.endpoint')),
            ],
        ),
        migrations.CreateModel(
            name='DueDelivery',
            fields=[
                ('delivery', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='due', serialize=False, to='webhooks.delivery')),
                ('due_at', models.DateTimeField()),
                ('failures', models.SmallIntegerField(default=0)),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='webhooks.endpoint')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('begun_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('status', models.SmallIntegerField(null=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='webhooks.delivery')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('status__gte', 200), ('status__lt', 300)), models.Q(('reason', ''), _negated=True), _connector='OR'), name='delivered_or_why_not')],
            },
        ),
        migrations.AddIndex(
            model_name='endpoint',
            index=models.Index(fields=['organisation', 'created_at'], name='endpoint_by_time'),
        ),
        migrations.AddConstraint(
            model_name='endpoint',
            constraint=models.UniqueConstraint(fields=('id', 'organisation'), name='endpoint_and_its_organisation'),
        ),
        migrations.AddConstraint(
            model_name='endpoint',
            constraint=models.UniqueConstraint(fields=('organisation', 'subscriber'), name='one_subscription_a_member'),
        ),
        migrations.AddConstraint(
            model_name='endpoint',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('address__startswith', 'https://'), ('is_daily', False), ('subscriber', None)), models.Q(('address', ''), ('includes_text', False), ('sealed_secret', ''), ('subscriber__isnull', False)), _connector='OR'), name='endpoint_over_https_or_a_member'),
        ),
        migrations.AddConstraint(
            model_name='endpoint',
            constraint=models.CheckConstraint(condition=models.Q(('kinds__len__gt', 0)), name='endpoint_asks_for_something'),
        ),
        migrations.AddConstraint(
            model_name='endpoint',
            constraint=models.CheckConstraint(condition=models.Q(('off_reason', ''), ('switched_at__isnull', False), _connector='OR'), name='endpoint_switched_off_when'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['endpoint', '-id'], name='delivery_newest'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('id', 'organisation'), name='delivery_and_its_organisation'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['record.contradicted', 'flag.raised', 'conflict.found', 'alarm.raised', 'report.finished', 'report.failed', 'profile.proposed', 'profile.suspended', 'plan.finished', 'verification.failed', 'endpoint.off'])), name='delivery_kind_known'),
        ),
        migrations.AddIndex(
            model_name='duedelivery',
            index=models.Index(fields=['endpoint', 'due_at'], name='due_by_endpoint'),
        ),
        migrations.AddConstraint(
            model_name='duedelivery',
            constraint=models.CheckConstraint(condition=models.Q(('failures__gte', 0)), name='failures_counted'),
        ),
        sql_file(__file__, 'webhooks'),
    ]

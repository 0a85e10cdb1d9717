import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import reviewers.web.models
from django.conf import settings
from django.db import migrations, models

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('web', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='Organisation',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(unique=True)),
                ('name', models.CharField(max_length=200)),
                ('asks_for_citations', models.BooleanField(default=False)),
                ('requires_second_factor', models.BooleanField(default=False)),
                ('asks_why', models.BooleanField(default=False)),
                ('requires_citations', models.BooleanField(default=False)),
                ('quotes', models.CharField(choices=[('off', 'Not checked'), ('optional', 'Checked'), ('required', 'Required')], default='optional', max_length=10)),
                ('repairs_answers', models.BooleanField(default=False)),
                ('citation_search', models.CharField(choices=[('off', 'Off'), ('words', 'By words'), ('model', 'By a model')], default='off', max_length=10)),
                ('search_unit', models.CharField(choices=[('sentence', 'By sentence'), ('clause', 'By clause')], default='sentence', max_length=10)),
                ('judges_support', models.BooleanField(default=False)),
                ('open_alarms', models.IntegerField(db_default=0, default=0)),
                ('suspended_profiles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), db_default=[], default=list, size=None)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('citation_search__in', ['off', 'words', 'model'])), name='citation_search_known'),
                    models.CheckConstraint(condition=models.Q(('quotes__in', ['off', 'optional', 'required'])), name='quotes_known'),
                    models.CheckConstraint(condition=models.Q(('search_unit__in', ['sentence', 'clause'])), name='search_unit_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='accounts.organisation')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('role', models.CharField(choices=[('reviewer', 'Reviewer'), ('lead', 'Lead'), ('coordinator', 'Coordinator'), ('auditor', 'Auditor'), ('administrator', 'Administrator')], max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('invited_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('signed_in_at', models.DateTimeField(null=True)),
                ('second_factor_at', models.DateTimeField(null=True)),
                ('signed_out_at', models.DateTimeField(null=True)),
                ('is_external', models.BooleanField(db_default=False, default=False)),
                ('external_reason', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('external_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('organisation', 'user'), name='one_role_a_member'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['reviewer', 'lead', 'coordinator', 'auditor', 'administrator'])), name='membership_role_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('external_reason', ''), ('external_until', None), ('is_external', False)), models.Q(('external_until__isnull', False), ('is_external', True), ('role', 'auditor'), models.Q(('external_reason', ''), _negated=True)), _connector='OR'), name='external_auditor_until_when_and_why'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='accounts.organisation')),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('reviewer', 'Reviewer'), ('lead', 'Lead'), ('coordinator', 'Coordinator'), ('auditor', 'Auditor'), ('administrator', 'Administrator')], max_length=20)),
                ('external_reason', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('external_until', models.DateTimeField(null=True)),
                ('invited_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_as', models.CharField(blank=True, choices=[('accepted', 'Accepted'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn'), ('replaced', 'Replaced by a newer one')], db_default='', default='', max_length=10)),
                ('membership', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitation', to='accounts.membership')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('organisation', 'email'), name='one_open_invitation'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['reviewer', 'lead', 'coordinator', 'auditor', 'administrator'])), name='invitation_role_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_as', ''), ('ended_at', None), ('membership', None)), models.Q(('ended_as', 'accepted'), ('ended_at__isnull', False), ('membership__isnull', False)), models.Q(('ended_as__in', ['declined', 'withdrawn', 'replaced']), ('ended_at__isnull', False), ('membership', None)), _connector='OR'), name='invitation_ended_how'),
                    models.CheckConstraint(condition=models.Q(models.Q(('external_reason', ''), ('external_until', None)), models.Q(('external_until__isnull', False), ('role', 'auditor'), models.Q(('external_reason', ''), _negated=True)), _connector='OR'), name='invitation_external_until_when_and_why'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ServiceKey',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='service_keys', to='accounts.organisation')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='service_keys', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=100)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('ingest', 'Ingest'), ('read', 'Read')], max_length=20), size=None)),
                ('hint', models.CharField(max_length=12)),
                ('digest', models.BinaryField(max_length=32, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='KeyUse',
            fields=[
                ('key', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='last_use', serialize=False, to='accounts.servicekey')),
                ('used_at', models.DateTimeField()),
            ],
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='MemberToken',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to='accounts.membership')),
                ('name', models.CharField(max_length=100)),
                ('scope', models.CharField(choices=[('read', 'Read'), ('label', 'Read and label')], max_length=10)),
                ('hint', models.CharField(max_length=12)),
                ('digest', models.BinaryField(max_length=32, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'label'])), name='token_scope_known'),
                    models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='token_expires_afterwards'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TokenUse',
            fields=[
                ('token', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='last_use', serialize=False, to='accounts.membertoken')),
                ('used_at', models.DateTimeField()),
            ],
            bases=(reviewers.web.models.TenantThrough, models.Model),
        ),
        migrations.CreateModel(
            name='RetentionPeriod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('kind', models.CharField(max_length=20)),
                ('years', models.PositiveSmallIntegerField()),
                ('changed_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('organisation', 'kind'), name='one_period_a_kind'),
                    models.CheckConstraint(condition=models.Q(('years__gte', 1)), name='kept_for_a_year_at_least'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SignOnProvider',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='sign_on_provider', to='accounts.organisation')),
                ('name', models.CharField(max_length=200)),
                ('issuer', models.CharField(max_length=500)),
                ('client_id', models.CharField(max_length=200)),
                ('sealed_secret', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='SignOnDomain',
            fields=[
                ('domain', models.CharField(max_length=253, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sign_on_domains', to='accounts.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='SignOnIdentity',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('provider', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='identities', to='accounts.signonprovider')),
                ('subject', models.CharField(max_length=255)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('provider', 'subject'), name='one_member_a_subject'),
                    models.UniqueConstraint(fields=('provider', 'user'), name='one_subject_a_member'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Hurdle',
            fields=[
                ('subject', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('failed_at', models.DateTimeField(null=True)),
                ('closed_until', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Proof',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('session', models.CharField(max_length=64)),
                ('purpose', models.CharField(max_length=20)),
                ('given_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('used_for', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('used_at', None)), fields=['session', 'purpose'], name='open_proofs'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('given_at'))), name='proof_expires_afterwards'),
                    models.CheckConstraint(condition=models.Q(models.Q(('used_at', None), ('used_for', '')), models.Q(('used_at__isnull', False), models.Q(('used_for', ''), _negated=True)), _connector='OR'), name='used_for_an_act'),
                    models.CheckConstraint(condition=models.Q(('used_at', None), ('used_at__lt', models.F('expires_at')), _connector='OR'), name='proof_used_while_fresh'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('page', models.CharField(max_length=200)),
                ('field', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('saved_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'organisation', 'page', 'field'), name='one_draft_a_field'),
                ],
            },
        ),
        sql_file(__file__, 'two_people'),
        sql_file(__file__, 'proofs'),
    ]

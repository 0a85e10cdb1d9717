"""Proofs of identity are rows, and each is used once: the database refuses to change them in any other way."""

import django.db.models.deletion
import reviewers.web.ids
from django.conf import settings
from django.db import migrations, models


KEEP = """
CREATE FUNCTION accounts_keep_proof() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM FROM accounts_membership
            WHERE organisation_id = NEW.organisation_id AND user_id = NEW.user_id AND ended_at IS NULL;
        IF NOT FOUND OR NEW.used_at IS NOT NULL THEN
            RAISE EXCEPTION 'a proof is given by a member, and not used yet' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE' THEN
        IF OLD.used_at IS NULL AND NEW.used_at IS NOT NULL
            AND to_jsonb(NEW) - 'used_at' - 'used_for' = to_jsonb(OLD) - 'used_at' - 'used_for' THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'a proof is used once, and nothing else of it changes' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.used_at IS NULL AND OLD.expires_at < now() THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a proof that was used, or can be, is kept' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER keep_proof BEFORE INSERT OR UPDATE OR DELETE ON accounts_proof FOR EACH ROW EXECUTE FUNCTION accounts_keep_proof();
"""

DROP = "DROP TRIGGER keep_proof ON accounts_proof; DROP FUNCTION accounts_keep_proof();"


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0012_two_people'),
    ]

    operations = [
        migrations.CreateModel(
            name='Proof',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('session', models.CharField(max_length=64)),
                ('purpose', models.CharField(max_length=20)),
                ('given_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('used_for', models.CharField(blank=True, default='', max_length=200)),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('used_at', None)), fields=['session', 'purpose'], name='open_proofs')],
                'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('given_at'))), name='proof_expires_afterwards'), models.CheckConstraint(condition=models.Q(models.Q(('used_at', None), ('used_for', '')), models.Q(('used_at__isnull', False), models.Q(('used_for', ''), _negated=True)), _connector='OR'), name='used_for_an_act'), models.CheckConstraint(condition=models.Q(('used_at', None), ('used_at__lt', models.F('expires_at')), _connector='OR'), name='proof_used_while_fresh')],
            },
        ),
        migrations.RunSQL(KEEP, DROP),
    ]

"""A signature rests on a proof that its signer gave for it: the database looks for it, and no two rest on one."""

import django.db.models.deletion
from django.db import migrations, models


REST = """
CREATE FUNCTION review_signature_rests_on_proof() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM accounts_proof
        WHERE id = NEW.proof_id AND organisation_id = NEW.organisation_id AND user_id = NEW.signer_id
        AND purpose = 'sign' AND used_at IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a signature rests on a proof that its signer has used for it' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rests_on_proof BEFORE INSERT ON review_signature FOR EACH ROW EXECUTE FUNCTION review_signature_rests_on_proof();
"""

DROP = "DROP TRIGGER rests_on_proof ON review_signature; DROP FUNCTION review_signature_rests_on_proof();"


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0013_proofs'),
        ('review', '0012_holds'),
    ]

    operations = [
        migrations.AddField(
            model_name='signature',
            name='proof',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.proof'),
        ),
        migrations.RunSQL(REST, DROP),
    ]

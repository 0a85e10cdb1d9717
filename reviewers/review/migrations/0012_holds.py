"""Legal holds: their rows, which holds cover a snapshot, and that nothing of what is held is redacted.

Whoever places or lifts a hold or approves a redaction takes the turn of the organisation's holds first, here and in
``holds/actions.py``: of a hold and a redaction at the same moment the second sees the first. A trigger refuses an approval of what is held,
whichever way it is written.
"""

import django.db.models.deletion
import reviewers.web.ids
from django.conf import settings
from django.db import migrations, models

SAME_TERMS = """
ALTER TABLE review_liftdecision ADD CONSTRAINT decision_is_of_its_proposal
    FOREIGN KEY (proposal_id, hold_id, proposed_by_id) REFERENCES review_liftproposal (id, hold_id, proposed_by_id);
"""

COVERED = """
CREATE FUNCTION review_is_covered(snapshot snapshots_snapshot, hold review_hold) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT snapshot.organisation_id = hold.organisation_id AND CASE hold.kind
        WHEN 'client' THEN snapshot.client_reference = hold.reference
        WHEN 'conversation' THEN snapshot.conversation_id = hold.reference
        WHEN 'plan' THEN EXISTS (SELECT FROM review_planitem AS drawn WHERE drawn.plan_id = hold.plan_id AND drawn.item_id = snapshot.id)
        WHEN 'period' THEN (snapshot.answered_at AT TIME ZONE 'UTC')::date
            BETWEEN COALESCE(hold.since, '-infinity') AND COALESCE(hold.until, 'infinity')
    END
$$;

CREATE FUNCTION review_holds_of(target uuid) RETURNS SETOF review_hold LANGUAGE sql STABLE AS $$
    SELECT hold.* FROM snapshots_snapshot AS snapshot JOIN review_hold AS hold ON hold.organisation_id = snapshot.organisation_id
    WHERE snapshot.id = target AND review_is_covered(snapshot, hold)
    AND NOT EXISTS (SELECT FROM review_liftdecision AS decision WHERE decision.hold_id = hold.id AND decision.outcome = 'lifted')
$$;
"""

TURNS = """
CREATE FUNCTION review_take_turn_of_holds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('holds ' || NEW.organisation_id, 0));
    RETURN NEW;
END $$;

CREATE TRIGGER take_turn BEFORE INSERT ON review_hold FOR EACH ROW EXECUTE FUNCTION review_take_turn_of_holds();
CREATE TRIGGER take_turn BEFORE INSERT ON review_liftdecision FOR EACH ROW EXECUTE FUNCTION review_take_turn_of_holds();

CREATE FUNCTION review_refuse_redaction_of_held() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    held uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('holds ' || NEW.organisation_id, 0));
    SELECT hold.id INTO held FROM ledger_redaction AS redaction, LATERAL review_holds_of(redaction.object_id) AS hold
        WHERE redaction.id = NEW.redaction_id LIMIT 1;
    IF held IS NOT NULL THEN
        RAISE EXCEPTION 'this is under the legal hold %: nothing of it is redacted', held USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER refuse_held BEFORE INSERT ON ledger_redactiondecision FOR EACH ROW WHEN (NEW.outcome = 'approved')
    EXECUTE FUNCTION review_refuse_redaction_of_held();
"""

TWO = """
CREATE FUNCTION review_lifting_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM review_liftproposal AS p WHERE p.id = NEW.proposal_id;
    RETURN NEW;
END $$;

CREATE TRIGGER takes_two BEFORE INSERT ON review_liftdecision FOR EACH ROW
    WHEN (NEW.outcome = 'lifted' AND NEW.decided_by_id <> NEW.proposed_by_id) EXECUTE FUNCTION review_lifting_takes_two();
"""

UNDO = """
DROP TRIGGER takes_two ON review_liftdecision;
DROP FUNCTION review_lifting_takes_two;
DROP TRIGGER refuse_held ON ledger_redactiondecision;
DROP FUNCTION review_refuse_redaction_of_held;
DROP TRIGGER take_turn ON review_liftdecision;
DROP TRIGGER take_turn ON review_hold;
DROP FUNCTION review_take_turn_of_holds;
DROP FUNCTION review_holds_of;
DROP FUNCTION review_is_covered;
ALTER TABLE review_liftdecision DROP CONSTRAINT decision_is_of_its_proposal;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('ledger', '0008_two_people'),
        ('accounts', '0010_external'),
        ('review', '0011_looked_up'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('client', 'A client'), ('conversation', 'A conversation'), ('plan', 'A plan'), ('period', 'A period')], max_length=12)),
                ('reference', models.CharField(blank=True, max_length=200)),
                ('since', models.DateField(null=True)),
                ('until', models.DateField(null=True)),
                ('reason', models.TextField()),
                ('placed_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('placed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('plan', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.plan')),
            ],
        ),
        migrations.CreateModel(
            name='LiftProposal',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('reason', models.TextField()),
                ('proposed_at', models.DateTimeField()),
                ('hold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='review.hold')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='LiftDecision',
            fields=[
                ('id', models.UUIDField(default=reviewers.web.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('outcome', models.CharField(choices=[('lifted', 'Lifted'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('decided_at', models.DateTimeField()),
                ('decided_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='review.hold')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.organisation')),
                ('proposed_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='review.liftproposal')),
            ],
        ),
        migrations.AddIndex(
            model_name='hold',
            index=models.Index(fields=['organisation', 'id'], name='hold_by_organisation'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['client', 'conversation']), ('plan', None), ('since', None), ('until', None), models.Q(('reference', ''), _negated=True)), models.Q(('kind', 'plan'), ('plan__isnull', False), ('reference', ''), ('since', None), ('until', None)), models.Q(('kind', 'period'), ('plan', None), ('reference', ''), models.Q(('since__isnull', False), ('until__isnull', False), _connector='OR')), _connector='OR'), name='hold_covers_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(('since', None), ('until', None), ('since__lte', models.F('until')), _connector='OR'), name='hold_from_and_to'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='held_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='liftproposal',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='lift_proposed_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='liftproposal',
            constraint=models.UniqueConstraint(fields=('id', 'hold', 'proposed_by'), name='lift_has_one_proposer'),
        ),
        migrations.AddConstraint(
            model_name='liftdecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('proposed_by')), ('outcome', 'withdrawn')), models.Q(('outcome__in', ['lifted', 'declined']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='lifting_takes_two'),
        ),
        migrations.AddConstraint(
            model_name='liftdecision',
            constraint=models.UniqueConstraint(condition=models.Q(('outcome', 'lifted')), fields=('hold',), name='hold_lifted_once'),
        ),
        migrations.RunSQL(SAME_TERMS + COVERED + TURNS + TWO, UNDO),
    ]

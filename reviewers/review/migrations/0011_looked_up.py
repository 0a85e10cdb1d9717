"""What comes in is looked up by its key, however many answers there are.

A connection plans the statements of a trigger once, at their first run, and keeps the plan. One whose first statement was a batch, when
there were few answers, read all answers from then on, for each that came in: 30 ms for one of 10,000. Nothing but a look-up by key is
right in these functions, so nothing else is planned in them.
"""

from django.db import migrations

FUNCTIONS = ("review_enqueue", "review_tell_documents")
SETTINGS = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin")


class Migration(migrations.Migration):
    dependencies = [("review", "0010_aside")]

    operations = [
        migrations.RunSQL(f"ALTER FUNCTION {function}() SET {setting} = off", f"ALTER FUNCTION {function}() RESET {setting}")
        for function in FUNCTIONS
        for setting in SETTINGS
    ]

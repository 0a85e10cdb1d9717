from django.db import migrations

from reviewers.web.statements import sql_file


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        sql_file(__file__, 'cache'),
        sql_file(__file__, 'insert_only'),
    ]

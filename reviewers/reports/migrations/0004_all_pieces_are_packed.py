from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('reports', '0003_pieces_are_packed'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='exportchunk',
            name='is_packed',
        ),
    ]

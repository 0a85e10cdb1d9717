"""Seals the secrets of second factors that were stored before they were sealed."""

from typing import Any

from django.db import migrations

from reviewers.accounts.sealing import is_sealed, seal


def seal_all(apps: Any, schema_editor: Any) -> None:
    for factor in apps.get_model("mfa", "Authenticator").objects.using(schema_editor.connection.alias).all():
        open_ones = {name: factor.data[name] for name in ("secret", "seed") if name in factor.data and not is_sealed(factor.data[name])}
        if open_ones:
            factor.data = factor.data | {name: seal(secret) for name, secret in open_ones.items()}
            factor.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_members_keys_retention"), ("mfa", "0003_authenticator_type_uniq")]

    operations = [migrations.RunPython(seal_all, migrations.RunPython.noop)]

"""A receiver of webhooks on this machine, with a certificate of its own."""

from __future__ import annotations

import pytest

from tests.webhooks.receivers import answering, make_certificate, receiving


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def receiver(certificate, settings, monkeypatch):
    """A receiver in a network that this deployment names."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.WEBHOOK_NETWORKS, settings.WEBHOOK_TIMEOUT = ["127.0.0.0/8", "::1/128"], 5
    with receiving(certificate, answering(204)) as script:
        yield script

"""A worker that is killed while an endpoint answers: the delivery is sent again, with the same identifier."""

from __future__ import annotations

import os
import signal
import time

import pytest
from django.db import connections

from reviewers.web.tenancy import tenant
from reviewers.webhooks.models import Attempt, DueDelivery
from tests.factories import make_organisation
from tests.quality.alarmed import make_alarm
from tests.webhooks.endpoints import make_endpoint, send_due
from tests.webhooks.receivers import answering, make_certificate, never, receiving


@pytest.mark.usefixtures("committed")
def test_what_a_killed_worker_was_sending_is_sent_again(tmp_path, settings, monkeypatch):
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.WEBHOOK_NETWORKS, settings.WEBHOOK_TIMEOUT = ["127.0.0.0/8", "::1/128"], 30
    organisation = make_organisation()
    with receiving(certificate, never) as receiver, tenant.within(organisation.pk):
        endpoint, _ = make_endpoint(organisation, receiver.url)
        make_alarm(organisation)
        connections.close_all()
        worker = os.fork()
        if worker == 0:
            try:
                send_due(endpoint)
            finally:
                os._exit(1)
        for _ in range(400):
            if receiver.came:
                break
            time.sleep(0.05)
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        assert (len(receiver.came), Attempt.objects.count(), DueDelivery.objects.count()) == (1, 0, 1)

        receiver.reply = answering(204)
        send_due(endpoint)

        first, second = receiver.came
        assert (first.id, first.body) == (second.id, second.body)
        assert (Attempt.objects.get().status, DueDelivery.objects.count()) == (204, 0)

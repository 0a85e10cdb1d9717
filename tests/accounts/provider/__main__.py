"""Run the provider on a free port of this machine, and print its address once it answers."""

import os
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def main():
    server = make_server("127.0.0.1", 0, None, handler_class=Quiet)
    address = f"http://127.0.0.1:{server.server_port}"
    os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.accounts.provider.settings", "PROVIDER_ADDRESS": address}
    django.setup()
    call_command("migrate", verbosity=0)
    server.set_app(get_wsgi_application())
    print(address, flush=True)  # noqa: T201 — whoever started it reads this
    server.serve_forever()


main()

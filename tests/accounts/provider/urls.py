"""The toolkit's addresses, and one that makes a client."""

import json

from django.http import JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import Application


@csrf_exempt
def make_client(request):
    kind = {"client_type": "confidential", "authorization_grant_type": "authorization-code", "algorithm": "RS256"}
    client = Application(**json.loads(request.body), **kind, skip_authorization=True)
    secret = client.client_secret
    client.save()
    return JsonResponse({"id": client.client_id, "secret": secret})


urlpatterns = [path("clients/", make_client), path("", include("oauth2_provider.urls"))]

"""A device that keeps passkeys, as a browser would have it: it makes keys and answers challenges, well or badly."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode

ORIGIN = "http://testserver"
PRESENT, VERIFIED, ATTESTED = 1, 4, 64


@dataclass
class Device:
    """Keeps one passkey."""

    verifies: bool = True
    site: str = "testserver"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    identifier: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    owner: str = ""

    def make(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer the request to make a passkey."""
        asked = options["publicKey"]
        self.owner = asked["user"]["id"]
        public = cbor.encode(ES256.from_cryptography_key(self.key.public_key()))
        attested = bytes(16) + len(self.identifier).to_bytes(2, "big") + self.identifier + public
        statement = {"fmt": "none", "attStmt": {}, "authData": self._data(ATTESTED) + attested}
        client = self._client("webauthn.create", asked["challenge"])
        return self._answer({"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(cbor.encode(statement))})

    def answer(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer a challenge."""
        client, data = self._client("webauthn.get", options["publicKey"]["challenge"]), self._data()
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"clientDataJSON": client, "authenticatorData": data, "signature": signature}
        return self._answer({name: websafe_encode(part) for name, part in parts.items()} | {"userHandle": self.owner})

    def _data(self, flags: int = 0) -> bytes:
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        return hashlib.sha256(self.site.encode()).digest() + bytes([flags]) + bytes(4)

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}).encode()

    def _answer(self, response: dict[str, str]) -> dict[str, Any]:
        identifier = websafe_encode(self.identifier)
        return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response, "clientExtensionResults": {}}


def with_broken_signature(answer: dict[str, Any]) -> dict[str, Any]:
    """Another one's signature."""
    signature = bytearray(websafe_decode(answer["response"]["signature"]))
    signature[-1] ^= 1
    return answer | {"response": answer["response"] | {"signature": websafe_encode(bytes(signature))}}

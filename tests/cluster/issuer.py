"""An OpenID Connect issuer that everybody may sign in at, as one person; a stand-in for Dex, Keycloak and the like.

It has the parts that oauth2-proxy speaks to: discovery, keys, the page that a browser is sent to, which asks nothing and
sends it back with a code, and tokens for codes and by refresh tokens. Arguments: port, address of the issuer, client, its
secret, file of its key, and where tokens are to say more than usual, a file of claims, which is read for each token: once it is
gone, nobody is known any longer.
"""

from __future__ import annotations

import base64
import json
import secrets
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

PERSON = "ada"
LIFETIME_SECONDS = 3600


def new_key() -> bytes:
    """A key to sign tokens with, as PEM."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def token(key: bytes, *, issuer: str, client: str, kid: str = "one", **claims: object) -> str:
    """A signed token that says who somebody is; `claims` go before the usual ones, and `kid` is the name of the key."""
    now = int(time.time())
    usual: dict[str, object] = {
        "iss": issuer,
        "aud": client,
        "sub": PERSON,
        "email": f"{PERSON}@example.com",
        "email_verified": True,
        "preferred_username": PERSON,
        "iat": now,
        "exp": now + LIFETIME_SECONDS,
    }
    head = {"alg": "RS256", "typ": "JWT", "kid": kid}
    signed = ".".join(_encoded(json.dumps(each).encode()) for each in (head, {**usual, **claims}))
    signature = _private(key).sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{signed}.{_encoded(signature)}"


def _private(key: bytes) -> rsa.RSAPrivateKey:
    found = serialization.load_pem_private_key(key, password=None)
    assert isinstance(found, rsa.RSAPrivateKey)
    return found


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _public(key: bytes) -> dict[str, str]:
    """The key as those who check signatures read it."""
    numbers = _private(key).public_key().public_numbers()
    parts = {"n": numbers.n, "e": numbers.e}
    made = {name: _encoded(each.to_bytes((each.bit_length() + 7) // 8, "big")) for name, each in parts.items()}
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one", **made}


def serve(port: int, issuer: str, client: str, secret: str, key: bytes, more: Path | None = None) -> None:
    """Serve until killed; `more` is the file of further claims."""
    nonces: dict[str, str] = {}
    shown = "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()

    class Issuer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/authorize":
                self._send_back(dict(parse_qsl(asked.query)))
            elif asked.path in (about := _about(issuer, key)):
                self._answer(200, about[asked.path])
            else:
                self._answer(404, {"error": "not found"})

        def do_POST(self) -> None:
            """A token for a code or a refresh token, once, for the client that knows its secret."""
            form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            known = self.headers.get("Authorization") == shown or form.get("client_secret") == secret
            code = form.get("code") or form.get("refresh_token", "")
            if not known or code not in nonces or (more and not more.exists()):
                self._answer(401, {"error": "invalid_client" if not known else "invalid_grant"})
                return
            claims = json.loads(more.read_text()) if more else {}
            again, nonce = secrets.token_urlsafe(16), nonces.pop(code)
            nonces[again] = nonce
            made = token(key, issuer=issuer, client=client, nonce=nonce, **claims)
            kept = {"access_token": secrets.token_urlsafe(16), "token_type": "Bearer", "expires_in": LIFETIME_SECONDS}
            self._answer(200, {**kept, "refresh_token": again, "id_token": made})

        def _send_back(self, asked: dict[str, str]) -> None:
            code = secrets.token_urlsafe(16)
            nonces[code] = asked.get("nonce", "")
            self.send_response(302)
            self.send_header(
                "Location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
            )
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _answer(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    ThreadingHTTPServer(("127.0.0.1", port), Issuer).serve_forever()


def _about(issuer: str, key: bytes) -> dict[str, Any]:
    """What anybody may read, by path."""
    found = {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "jwks_uri": f"{issuer}/keys",
        "id_token_signing_alg_values_supported": ["RS256"],
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
    }
    return {"/.well-known/openid-configuration": found, "/keys": {"keys": [_public(key)]}}


if __name__ == "__main__":
    _, listened, address, known, shared, file, *further = sys.argv
    serve(int(listened), address, known, shared, Path(file).read_bytes(), *map(Path, further))

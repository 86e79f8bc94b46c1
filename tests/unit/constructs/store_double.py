"""An object store that keeps buckets, users, policies and keys, and checks who signed a request, as SeaweedFS does."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ADMINISTRATOR = ("ADMIN", "of-the-store")


@dataclass
class StoreDouble:
    """What it holds."""

    buckets: set[str] = field(default_factory=set)
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)
    users: dict[str, dict[str, str]] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)
    port: int = 0
    objects: dict[str, bytes] = field(default_factory=dict)
    """Files by bucket and name."""
    parts: dict[str, list[bytes]] = field(default_factory=dict)
    """Parts of uploads that are not whole yet."""

    def secret(self, access: str) -> str | None:
        """The secret of a key."""
        keys = dict([ADMINISTRATOR])
        for each in self.users.values():
            keys |= each
        return keys.get(access)

    def lists(self, access: str, bucket: str, prefix: str) -> bool:
        """Whether the owner of the key may list there."""
        user = next((name for name, keys in self.users.items() if access in keys), "")
        for statement in self.policies.get(self.attached.get(user, ""), {}).get("Statement", []):
            limit = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix", "*")
            on = statement["Resource"] == f"arn:aws:s3:::{bucket}"
            if statement["Action"] == "s3:ListBucket" and on and prefix.startswith(limit.removesuffix("*")):
                return True
        return False

    def files(self, command: str, path: str, query: dict[str, list[str]], body: bytes) -> tuple[int, str]:
        """What S3 does with one object."""
        if command == "DELETE":
            del self.objects[path]
            return 204, ""
        if "uploads" in query:
            self.parts[path] = []
            return 200, "<UploadId>up 1</UploadId>"
        if query["uploadId"] != ["up 1"]:
            return 404, "NoSuchUpload"
        if command == "PUT":
            self.parts[path].append(body)
            return 200, f'"tag-{query["partNumber"][0]}"'
        tags = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>tag-(\d+)</ETag>", body.decode())
        if [(str(n), str(n)) for n in range(1, len(self.parts[path]) + 1)] != tags:
            return 400, "InvalidPart"
        self.objects[path] = b"".join(self.parts.pop(path))
        return 200, ""

    def iam(self, fields: dict[str, str]) -> tuple[int, str]:
        """One action of the IAM API."""
        name, action = fields.get("UserName", ""), fields["Action"]
        if action == "CreateUser" and name in self.users:
            return 409, "EntityAlreadyExists"
        if action == "CreateUser":
            self.users[name] = {}
        elif action == "CreatePolicy" and fields["PolicyName"] in self.policies:
            return 409, "EntityAlreadyExists"
        elif action == "CreatePolicy":
            self.policies[fields["PolicyName"]] = json.loads(fields["PolicyDocument"])
        elif action == "CreatePolicyVersion":
            self.policies[fields["PolicyArn"].rpartition("/")[2]] = json.loads(fields["PolicyDocument"])
        elif action == "AttachUserPolicy":
            self.attached[name] = fields["PolicyArn"].rpartition("/")[2]
        elif action == "CreateAccessKey":
            self.users[name][fields["AccessKeyId"]] = fields["SecretAccessKey"]
        elif action == "DeleteAccessKey":
            self.users[name].pop(fields["AccessKeyId"], None)
        elif action == "ListAccessKeys":
            return 200, "".join(f"<AccessKeyId>{each}</AccessKeyId>" for each in self.users[name])
        return 200, ""


def signature(handler: BaseHTTPRequestHandler, body: bytes, secret: str) -> str:
    """What the request's signature must be, from the request as it came."""
    asked = dict(re.findall(r"(\w+)=([^,\s]+)", handler.headers["Authorization"]))
    date, region, service = asked["Credential"].split("/")[1:4]
    url = urlsplit(handler.path)
    names = asked["SignedHeaders"].split(";")
    headers = "".join(f"{name}:{handler.headers[name]}\n" for name in names)
    payload = hashlib.sha256(body).hexdigest()
    request = f"{handler.command}\n{url.path}\n{url.query}\n{headers}\n{asked['SignedHeaders']}\n{payload}"
    scope = f"{date}/{region}/{service}/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{handler.headers['x-amz-date']}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = ("AWS4" + secret).encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


@contextmanager
def store_double() -> Iterator[StoreDouble]:
    """A store that listens until the block ends."""
    store = StoreDouble()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, text = self._answer(body)
            content = (text if status in (200, 204) else f"<Error><Code>{text}</Code></Error>").encode()
            self.send_response(status)
            if text.startswith('"tag'):
                self.send_header("ETag", text)
                content = b""
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - the names that http.server asks for

        def _answer(self, body: bytes) -> tuple[int, str]:
            asked = dict(re.findall(r"(\w+)=([^,\s]+)", self.headers["Authorization"]))
            access = asked["Credential"].partition("/")[0]
            secret = store.secret(access)
            if secret is None:
                return 403, "InvalidAccessKeyId"
            if not hmac.compare_digest(asked["Signature"], signature(self, body, secret)):
                return 403, "SignatureDoesNotMatch"
            url = urlsplit(self.path)
            query = parse_qs(url.query, keep_blank_values=True)
            if url.path.count("/") > 1:
                return store.files(self.command, url.path[1:], query, body)
            if self.command == "GET":
                prefix = query.get("prefix", [""])[0]
                names = (each.partition("/")[2] for each in store.objects if each.partition("/")[0] == url.path[1:])
                listed = "".join(f"<Key>{each}</Key>" for each in names if each.startswith(prefix))
                return (200, listed) if store.lists(access, url.path[1:], prefix) else (403, "AccessDenied")
            if access != ADMINISTRATOR[0]:
                return 403, "AccessDenied"
            if self.command == "POST":
                return store.iam({key: value[0] for key, value in parse_qs(body.decode()).items()})
            there = url.path[1:] in store.buckets
            store.buckets.add(url.path[1:])
            return (409, "BucketAlreadyOwnedByYou") if there else (200, "")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    store.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()

"""Makes a bucket, its users and their keys on an object store; runs in the cluster, on Python's own library alone.

The store's endpoint speaks S3 and the IAM API, as SeaweedFS does. Every step may run any number of times: a key that
opens the bucket stays as it is, one that the store does not know is told to it again, and other keys of the user go.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import re
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

SECRETS = "/run/secrets"
UPLOADS = ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload")
OBJECTS = ("GetObject", "PutObject", "DeleteObject", *UPLOADS)
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Key:
    """An access key and its secret."""

    access: str
    secret: str

    @staticmethod
    def read(folder: Path) -> Key:
        """The key in a mounted Secret."""
        return Key((folder / "accessKey").read_text().strip(), (folder / "secretKey").read_text().strip())


class Store:
    """The endpoint; requests are signed by AWS' Signature Version 4."""

    def __init__(self, plan: dict[str, Any]):
        self._host, self._port, self._tls, self._region = plan["host"], plan["port"], plan["tls"], plan["region"]

    def call(
        self, key: Key, method: str, path: str, *, query: str = "", body: str = "", service: str = "s3"
    ) -> tuple[int, str]:
        """Status and answer of one request; a store that is not there yet answers 503."""
        content = body.encode()
        headers = self._headers(key, (method, path, query), content, service)
        kind = http.client.HTTPSConnection if self._tls else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=30)
        try:
            connection.request(method, f"{path}?{query}" if query else path, body=content, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            return 503, str(error)
        finally:
            connection.close()

    def _headers(self, key: Key, request: tuple[str, str, str], content: bytes, service: str) -> dict[str, str]:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        scope = f"{now[:8]}/{self._region}/{service}/aws4_request"
        payload = hashlib.sha256(content).hexdigest()
        signed = {
            "content-type": FORM,
            "host": f"{self._host}:{self._port}",
            "x-amz-content-sha256": payload,
            "x-amz-date": now,
        }
        lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
        names = ";".join(signed)
        canonical = "\n".join([*request, lines, names, payload])
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        secret = f"AWS4{key.secret}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        signature = hmac.digest(secret, text.encode(), "sha256").hex()
        credential = f"Credential={key.access}/{scope}, SignedHeaders={names}, Signature={signature}"
        return {**signed, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


class Maker:
    """What the administrator does."""

    def __init__(self, store: Store, administrator: Key, pause: float):
        self._store, self._administrator, self._pause = store, administrator, pause

    def bucket(self, name: str) -> None:
        """The bucket, unless it is there; waits five minutes for the store."""
        for _ in range(60):
            status, text = self._store.call(self._administrator, "PUT", f"/{name}")
            if status == 200 or (status == 409 and code(text) in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists")):
                return
            if status < 500:
                raise SystemExit(f"cannot make the bucket {name}: {status} {code(text)}")
            time.sleep(self._pause)
        raise SystemExit(f"the object store does not answer: {status} {text[:200]}")

    def user(self, name: str, key: Key, bucket: str, prefix: str) -> None:
        """A user with this key alone, who may read and write below the prefix."""
        document, arn = policy(bucket, prefix), f"arn:aws:iam:::policy/{name}"
        self._iam("CreateUser", UserName=name, known="EntityAlreadyExists")
        self._iam("CreatePolicy", PolicyName=name, PolicyDocument=document, known="EntityAlreadyExists")
        self._iam("CreatePolicyVersion", PolicyArn=arn, PolicyDocument=document, SetAsDefault="true")
        self._iam("AttachUserPolicy", UserName=name, PolicyArn=arn)
        if not self._opens(key, bucket, prefix):
            self._iam("DeleteAccessKey", UserName=name, AccessKeyId=key.access, known="NoSuchEntity")
            self._iam("CreateAccessKey", UserName=name, AccessKeyId=key.access, SecretAccessKey=key.secret)
        for other in re.findall(r"<AccessKeyId>([^<]+)</AccessKeyId>", self._iam("ListAccessKeys", UserName=name)):
            if other != key.access:
                self._iam("DeleteAccessKey", UserName=name, AccessKeyId=other, known="NoSuchEntity")
        for _ in range(12):
            if self._opens(key, bucket, prefix):
                print(f"{name} reads and writes {bucket}/{prefix}")
                return
            time.sleep(self._pause)
        raise SystemExit(f"the key of {name} does not open {bucket}/{prefix}")

    def _opens(self, key: Key, bucket: str, prefix: str) -> bool:
        query = urlencode({"list-type": "2", "max-keys": "1", "prefix": prefix}, quote_via=quote, safe="")
        return self._store.call(key, "GET", f"/{bucket}", query=query)[0] == 200

    def _iam(self, action: str, known: str = "", **fields: str) -> str:
        """The answer to one action; `known` is a refusal that says that it is done."""
        body = urlencode({"Action": action, "Version": "2010-05-08", **fields})
        status, text = self._store.call(self._administrator, "POST", "/", body=body, service="iam")
        if status != 200 and not (known and code(text) == known):
            raise SystemExit(f"{action} {fields.get('UserName', '')}: {status} {code(text)}")
        return text


def policy(bucket: str, prefix: str) -> str:
    """What a user may do: everything with objects below the prefix, and list those.

    SeaweedFS 4.34 drops prefixes of policies that are written into a user; attached ones are judged whole.
    """
    arn = f"arn:aws:s3:::{bucket}"
    listing: dict[str, Any] = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": arn}
    if prefix:
        listing["Condition"] = {"StringLike": {"s3:prefix": f"{prefix}*"}}
    statements = [
        {"Effect": "Allow", "Action": [f"s3:{each}" for each in OBJECTS], "Resource": f"{arn}/{prefix}*"},
        {"Effect": "Allow", "Action": "s3:GetBucketLocation", "Resource": arn},
        listing,
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def code(text: str) -> str:
    """The code of an error as XML; else the beginning of the text."""
    found = re.search(r"<Code>([^<]*)</Code>", text)
    return found[1] if found else text[:200]


def main(plan: dict[str, Any], secrets: Path, pause: float = 5) -> None:
    """The bucket, and each of its users."""
    maker = Maker(Store(plan), Key.read(secrets / "administrator"), pause)
    maker.bucket(plan["bucket"])
    for user in plan["users"]:
        maker.user(user["name"], Key.read(secrets / user["name"]), plan["bucket"], user["prefix"])


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2] if len(sys.argv) > 2 else SECRETS))

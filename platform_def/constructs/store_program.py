"""Makes a bucket, its users and their keys on an object store, or keeps backups there; runs in the cluster, on Python's
own library alone.

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
READS = ("GetObject",)
OBJECTS = (*READS, "PutObject", "DeleteObject", *UPLOADS)
FORM = "application/x-www-form-urlencoded"
PART = 64 * 1024 * 1024


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
        self, key: Key, method: str, path: str, *, query: str = "", body: str | bytes = "", service: str = "s3"
    ) -> tuple[int, str]:
        """Status and answer of one request; a store that is not there yet answers 503."""
        content = body.encode() if isinstance(body, str) else body
        headers = self._headers(key, (method, path, query), content, service)
        kind = http.client.HTTPSConnection if self._tls else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=30)
        try:
            connection.request(method, f"{path}?{query}" if query else path, body=content, headers=headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return answer.status, text or answer.headers.get("ETag", "")
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

    def user(self, name: str, key: Key, bucket: str, prefix: str, *, writes: bool = True) -> None:
        """A user with this key alone, who may read below the prefix, and write there too unless that is denied."""
        document, arn = policy(bucket, prefix, writes=writes), f"arn:aws:iam:::policy/{name}"
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
                print(f"{name} {'reads and writes' if writes else 'reads'} {bucket}/{prefix}")
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


def policy(bucket: str, prefix: str, *, writes: bool = True) -> str:
    """What a user may do: everything with objects below the prefix, or read them alone, and list those.

    SeaweedFS 4.34 drops prefixes of policies that are written into a user; attached ones are judged whole.
    """
    arn, actions = f"arn:aws:s3:::{bucket}", OBJECTS if writes else READS
    listing: dict[str, Any] = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": arn}
    if prefix:
        listing["Condition"] = {"StringLike": {"s3:prefix": f"{prefix}*"}}
    statements = [
        {"Effect": "Allow", "Action": [f"s3:{each}" for each in actions], "Resource": f"{arn}/{prefix}*"},
        {"Effect": "Allow", "Action": "s3:GetBucketLocation", "Resource": arn},
        listing,
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def code(text: str) -> str:
    """The code of an error as XML; else the beginning of the text."""
    found = re.search(r"<Code>([^<]*)</Code>", text)
    return found[1] if found else text[:200]


class Backups:
    """Files in a bucket, below a prefix, of which the newest are kept; their names sort by age."""

    def __init__(self, store: Store, key: Key, plan: dict[str, Any]):
        self._store, self._key, self._bucket = store, key, plan["bucket"]
        self._prefix, self._keep, self._part = plan["prefix"], plan["keep"], plan.get("part", PART)

    def add(self, file: Path, name: str) -> None:
        """Upload in parts, so that no size is too large; it is there once it is whole."""
        path = f"/{self._bucket}/{self._prefix}{name}"
        upload = _found("UploadId", self._call("POST", path, query="uploads="))
        parts: list[str] = []
        with file.open("rb") as content:
            while piece := content.read(self._part):
                query = urlencode({"partNumber": len(parts) + 1, "uploadId": upload}, quote_via=quote, safe="")
                parts.append(self._call("PUT", path, query=query, body=piece).strip('"'))
        each = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>" for number, tag in enumerate(parts, 1)
        )
        whole = f"<CompleteMultipartUpload>{each}</CompleteMultipartUpload>"
        query = urlencode({"uploadId": upload}, quote_via=quote, safe="")
        self._call("POST", path, query=query, body=whole)
        print(f"kept {self._bucket}/{self._prefix}{name}, {file.stat().st_size} bytes")

    def prune(self) -> None:
        """Delete all but the newest."""
        query = urlencode({"list-type": "2", "max-keys": "1000", "prefix": self._prefix}, quote_via=quote, safe="")
        there = sorted(re.findall(r"<Key>([^<]+)</Key>", self._call("GET", f"/{self._bucket}", query=query)))
        for old in there[: -self._keep]:
            self._call("DELETE", f"/{self._bucket}/{old}")
            print(f"deleted {self._bucket}/{old}")

    def _call(self, method: str, path: str, *, query: str = "", body: str | bytes = "") -> str:
        status, text = self._store.call(self._key, method, path, query=query, body=body)
        if status not in (200, 204):
            raise SystemExit(f"{method} {path}: {status} {code(text)}")
        return text


def _found(name: str, text: str) -> str:
    found = re.search(rf"<{name}>([^<]+)</{name}>", text)
    if found is None:
        raise SystemExit(f"the object store answers without {name}: {text[:200]}")
    return found[1]


def back_up(plan: dict[str, Any], secrets: Path) -> None:
    """Upload the file that the container before this one wrote, under the moment's name."""
    backups = Backups(Store(plan), Key.read(secrets / plan["user"]), plan)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    backups.add(Path(plan["file"]), f"{moment}.{Path(plan['file']).name.partition('.')[2]}")
    backups.prune()


def main(plan: dict[str, Any], secrets: Path, pause: float = 5) -> None:
    """The bucket, and each of its users; or a backup, where the plan names a file."""
    if "file" in plan:
        back_up(plan, secrets)
        return
    maker = Maker(Store(plan), Key.read(secrets / "administrator"), pause)
    maker.bucket(plan["bucket"])
    for user in plan["users"]:
        key, writes = Key.read(secrets / user["name"]), user.get("writes", True)
        maker.user(user["name"], key, plan["bucket"], user["prefix"], writes=writes)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2] if len(sys.argv) > 2 else SECRETS))

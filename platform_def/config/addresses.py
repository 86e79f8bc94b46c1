"""Addresses of repositories as both engines understand them, and what cannot be right about one."""

from __future__ import annotations

import re

_SCP = re.compile(r"(?P<user>[^@/:]+)@(?P<host>[^:/]+):/*(?P<path>.+)")
_SSH = re.compile(r"ssh://(?P<user>[^@/]+@)?(?P<host>[^:/]+|\[[^]/]*\])(?P<port>:[^/]*)?(?P<path>/.*)?")
_OCI = re.compile(r"oci://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_CONTENT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|sha\d+:.+")


def with_scheme(address: str) -> str:
    """The address as a URL: `git@host:path` is ssh."""
    scp = _SCP.fullmatch(address)
    return "ssh://{user}@{host}/{path}".format(**scp.groupdict()) if scp else address


def scheme(address: str) -> str:
    """`https`, `http`, `ssh`, `file` or `oci`."""
    return with_scheme(address).partition("://")[0]


def wrong_revision(address: str, revision: str) -> str:
    """What is wrong with a revision of what the address names; empty where it may be right.

    What names a content cannot be part of it: `_delivery/` there says another revision, and an engine that applies it
    leaves the one that it was told.
    """
    artifact = scheme(address) == "oci"
    if _CONTENT.fullmatch(revision):
        it, instead = ("an artifact", "a tag") if artifact else ("a commit", "a branch or a tag")
        return f"{it} cannot hold its own name, and leads the engine elsewhere: write {instead}"
    return f"'{revision[:80]}' is no tag of an artifact" if artifact and not _TAG.fullmatch(revision) else ""


def mistake(address: str) -> str:
    """What is wrong with an address, and what to write instead; empty where it may be right."""
    if address.startswith("oci://") and not _OCI.fullmatch(address):
        return "is no repository of a registry: write oci://host/path in lower case; the tag is `revision:`"
    ssh = _SSH.fullmatch(address)
    if ssh is None:
        return ""
    host, port, path = ssh["host"], ssh["port"] or "", (ssh["path"] or "").lstrip("/")
    if port and not re.fullmatch(r":\d{1,5}", port):
        return (
            f"has no port behind ':': write git@{host}{port}/{path}, or ssh://git@{host}{port.replace(':', '/')}/{path}"
        )
    # Argo CD takes it for another protocol without one.
    return "" if ssh["user"] else f"names no user: write ssh://git@{host}{port}/{path}"

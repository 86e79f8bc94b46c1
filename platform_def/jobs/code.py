"""Training code from a git repository or from an image, brought into the pod before the program starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from platform_def.apis.core.core_v1 import Container, VolumeMount
from platform_def.constructs.environment import env, from_secret
from platform_def.jobs.parameters import Code

CODE, CODE_FOLDER = "code", "/code"
# The folder is root's, while the pod may run as any user: Git refuses another user's folder unless it is marked safe.
_GIT = "git -c safe.directory=/code"
AUTHORITY, AUTHORITY_FOLDER = "private-ca", "/etc/platform-def/ca"
_TRUST = (
    "{ cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null || :; cat "
    f"{AUTHORITY_FOLDER}/ca.crt; }} > /tmp/ca.crt && export GIT_SSL_CAINFO=/tmp/ca.crt && "
)
"""Git knows one file of authorities: those of the image, and the private ones."""
_CLONE = (
    f'git init -q /code && cd /code && {_GIT} -c credential.helper="$HELPER" fetch -q --depth 1'
    f' "$REPOSITORY" "$REVISION" && {_GIT} checkout -q FETCH_HEAD'
)
# Git asks the helper, a shell function, for user and password; they are in no command line and in no file.
_HELPER = '!f() { echo "username=$GIT_USERNAME"; echo "password=$GIT_PASSWORD"; }; f'
_COPY = 'cp -R "$SOURCE/." /code/'


def code_container(code: Code, image: Callable[[str], str], way_out: Mapping[str, str], *, trusts: bool) -> Container:
    """The init container; words of the stack file are given to its shell as variables, never as text of the script.

    `way_out` are variables of a proxy; with `trusts` there is a volume of private authorities.
    """
    mounted: list[VolumeMount] = [{"name": CODE, "mountPath": CODE_FOLDER}]
    if code.git:
        values = {
            "REPOSITORY": code.git,
            "REVISION": code.revision or "",
            "HELPER": _HELPER if code.secret else "",
            "GIT_TERMINAL_PROMPT": "0",
            **way_out,
        }
        secrets = {"GIT_USERNAME": "username", "GIT_PASSWORD": "password"} if code.secret else {}
        sourced = {name: from_secret(code.secret or "", key) for name, key in secrets.items()}
        variables = env({**values, **sourced})
        script, source = _CLONE, code.git_image
        if trusts:
            script = _TRUST + script
            mounted.append({"name": AUTHORITY, "mountPath": AUTHORITY_FOLDER, "readOnly": True})
    else:
        script, source = _COPY, code.image or ""
        variables = env({"SOURCE": code.path or "/"})
    return {
        "name": CODE,
        "image": image(source),
        "command": ["sh", "-ec", script],
        "env": variables,
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "volumeMounts": mounted,
    }

"""Credentials by their shape: the tokens of well-known services, private keys, addresses with a password.

Forms are those that the issuers document, with the prefixes that they chose so that such tokens can be found. A list
of our own, since detect-secrets 1.5 takes 0.6 s to import with its HTTP client, which is as much as a run with nothing
to do may cost, knows none of what Hugging Face, Weights & Biases, NVIDIA, Google or age hand out, and takes `a:b@` in
any text for a password.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from platform_def.manifests.paths import Path


class Credential(NamedTuple):
    """Something in a text that looks like a credential."""

    title: str
    """What it looks like: `a GitHub token`."""
    secret: str
    """Itself; never to be shown."""
    at: int
    """Where in the text it begins."""


class _Shape(NamedTuple):
    title: str
    marks: tuple[str, ...]
    """One of these is in every text that has one, as it stands: searched for first, because that costs nothing."""
    form: str
    """What it looks like; a group named `secret` where that is not all of it."""


_B64 = "[A-Za-z0-9+/]"
_URL = "[A-Za-z0-9_-]"
_SHAPES = (
    _Shape("a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _Shape("a GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{60,255}"),
    _Shape(
        "a GitLab token",
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glcbt-"),
        rf"gl(?:pat|dt|rtr?|ptt|ft|soat|imt|agent|oas|cbt)-{_URL}{{20,}}",
    ),
    _Shape("an access key of AWS", ("AKIA", "ASIA"), r"A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _Shape(
        "a secret key of AWS",
        ("SECRET_ACCESS_KEY", "secret_access_key", "SecretAccessKey", "secretAccessKey"),
        rf"(?i:secret_?access_?key)[\"']?\s*[:=]\s*[\"']?(?P<secret>{_B64}{{40}})(?!{_B64})",
    ),
    _Shape("an API key of Google", ("AIza",), rf"AIza{_URL}{{35}}(?!{_URL})"),
    _Shape("a client secret of Google", ("GOCSPX-",), rf"GOCSPX-{_URL}{{28}}"),
    _Shape("an access token of Google", ("ya29.",), rf"ya29\.{_URL}{{30,}}"),
    _Shape("a storage key of Azure", ("AccountKey=",), rf"AccountKey=(?P<secret>{_B64}{{86}}==)"),
    _Shape("an access key of Azure", ("SharedAccessKey=",), rf"SharedAccessKey=(?P<secret>{_B64}{{40,}}=*)"),
    _Shape("a shared access signature of Azure", ("sig=",), r"[?&;]sig=(?P<secret>[A-Za-z0-9%/+]{40,}(?:%3D|=))"),
    _Shape("a client secret of Azure", ("Q~",), r"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    _Shape("a Slack token", ("xox", "xapp-"), r"(?:xox[abeoprs]|xapp)-[0-9A-Za-z-]{20,}"),
    _Shape("a Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{40,}"),
    _Shape("a Hugging Face token", ("hf_", "api_org_"), r"(?:hf_|api_org_)[A-Za-z0-9]{34,}"),
    _Shape("a Weights & Biases key", ("wandb_v1_",), r"wandb_v1_[A-Za-z0-9_]{40,}"),
    _Shape(
        "a Weights & Biases key",
        ("WANDB", "wandb"),
        r"(?i:wandb(?:[_-]?api[_-]?key[\"']?\s*[:=]|\s+login))\s*[\"']?(?P<secret>[0-9a-f]{40})(?![0-9a-f])",
    ),
    _Shape(
        "an OpenAI key", ("sk-",), rf"sk-(?:(?:proj|svcacct|admin)-{_URL}{{40,}}|[A-Za-z0-9]{{20}}T3BlbkFJ\w{{20}})"
    ),
    _Shape("an Anthropic key", ("sk-ant-",), rf"sk-ant-{_URL}{{40,}}"),
    _Shape("an NVIDIA key", ("nvapi-",), rf"nvapi-{_URL}{{40,}}"),
    _Shape("an npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    _Shape("a PyPI token", ("pypi-AgE",), rf"pypi-AgE{_URL}{{50,}}"),
    _Shape("a Docker Hub token", ("dckr_pat_", "dckr_oat_"), rf"dckr_[po]at_{_URL}{{20,}}"),
    _Shape("a Databricks token", ("dapi",), r"dapi[0-9a-f]{32}"),
    _Shape("a Vault token", ("hvs.", "hvb."), rf"hv[sb]\.{_URL}{{24,}}"),
    _Shape("a Grafana token", ("glsa_", "glc_"), r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"),
    _Shape("a Stripe key", ("k_live_",), r"[rs]k_live_[A-Za-z0-9]{24,}"),
    _Shape("a SendGrid key", ("SG.",), rf"SG\.{_URL}{{22}}\.{_URL}{{43}}"),
    _Shape("a DigitalOcean token", ("_v1_",), r"do[opr]_v1_[0-9a-f]{64}"),
    _Shape("an age key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}"),
    _Shape("a JSON web token", ("eyJ",), rf"eyJ{_URL}{{10,}}\.eyJ{_URL}{{10,}}\.{_URL}{{20,}}"),
    _Shape(
        "a private key",
        ("PRIVATE KEY",),
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----[\s\S]{{0,200}}?(?P<secret>{_B64}{{24,}})",
    ),
    _Shape("the login of a registry", ('"auth"',), rf'"auth"\s*:\s*"(?P<secret>{_B64}{{8,}}={{0,2}})"'),
    _Shape("an address with a password", ("://",), r"://[^\s/:@'\"<>]*:(?P<secret>[^\s/@'\"]+)@[^\s/@'\"]"),
    _Shape(
        "a password",
        ("PASSWORD", "PASSWD", "TOKEN", "API_KEY", "SECRET_KEY", "CLIENT_SECRET"),
        r"(?:^|[A-Z_])(?:PASSWORD|PASSWD|TOKEN|API_KEY|SECRET_KEY|CLIENT_SECRET)=[\"']?(?P<secret>[^\s\"']{4,})",
    ),
    _Shape(
        "a password",
        ("password", "passwd", "token", "api-key"),
        r"(?:^|[\s=\"',\[])--?(?:[a-z-]*(?:password|passwd|api-key)|(?:auth-|access-|bearer-)?token)[= ]"
        r"(?P<secret>[^\s\"',\]-][^\s\"',\]]{3,})",
    ),
)
_PLACEHOLDER = re.compile(r"[$<>{}*\[\]]|(.)\1{9}|%[(s]|\.\.\.|…|(?i:example|changeme|redacted|placeholder|your[-_])")
_NO_PASSWORD = re.compile(r"(?i:true|false|yes|no|none|null|optional|required|[\d.]+[a-z]{0,2})|[/.~].*|[a-z]+://.*")
"""What such variables and flags hold beside passwords: whether there is one, how long it lives, where it lies."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_FEWEST_LETTERS = 5
"""Different ones in a random value; a row of x has fewer."""
_DEEPEST = 2
"""Base64 in base64: the login in the file of a registry in a Secret."""


_MARKS = tuple(dict.fromkeys(mark.strip('"').rstrip("=") for shape in _SHAPES for mark in shape.marks))
"""The marks as they stand in an object: the name of a variable or an entry goes before `=`."""
_RARE = "~_QXZJGWKYHUVBOPTSNDLRAICEM:zqxjkwvyfbghupdmlcstrnioae"
"""Letters in the order in which objects seldom have them."""


def _by_letter() -> Mapping[str, Sequence[str]]:
    """The marks by the rarest letter of each: one look for the letter spares looking for them."""
    found: dict[str, list[str]] = {}
    for mark in _MARKS:
        found.setdefault(min(mark, key=lambda each: (each not in _RARE, _RARE.find(each))), []).append(mark)
    return found


_BY_LETTER = tuple((letter, tuple(marks)) for letter, marks in _by_letter().items())
_ADDRESS = "://"
"""Only with a password in it, which ends with `@`."""
_OF_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LETTERS = bytes(ord("A") if code in _OF_BASE64 else ord(" ") for code in range(256))
_LONG = b"A" * 24


def may_hold_one(text: str) -> bool:
    """Whether an object, written as YAML or JSON, may hold a credential: a look that costs a tenth of the search."""
    for letter, marks in _BY_LETTER:  # loops, because a generator costs more than all the marks
        if letter in text:
            for mark in marks:
                if mark in text and (mark != _ADDRESS or "@" in text):
                    return True
    if _LONG not in text.encode("utf-8", "replace").translate(_LETTERS):
        return False
    if "\\" in text:  # the letter of an escape would be taken for one of base64
        return True
    return any(_hides_one(found[0].rstrip("=")) for found in _BASE64.finditer(text))


@lru_cache(maxsize=4096)
def _hides_one(run: str) -> bool:
    """Whether a run of letters of base64 may decode to a credential; paths and long names are in many objects."""
    texts = {_decoded(f"{run}{end}") for end in ("", "=", "==")}  # most often one
    return any(True for text in texts for _ in credentials(text, depth=1))


def credentials(text: str, *, depth: int = 0) -> Iterator[Credential]:
    """What in the text looks like a credential, in base64 too; what stands for one (`$(TOKEN)`, `xxxx`) does not."""
    told: set[str] = set()
    for number, shape in enumerate(_SHAPES):
        if any(map(text.__contains__, shape.marks)):
            for found in _form(number).finditer(text):
                secret = found["secret"] if "secret" in found.re.groupindex else found[0]
                if secret not in told and not _stands_for_one(secret, shape.title):
                    told.add(secret)
                    yield Credential(shape.title, secret, found.start())
    if depth < _DEEPEST:
        for found in _BASE64.finditer(text):
            for inner in credentials(_decoded(found[0]), depth=depth + 1):
                yield inner._replace(title=f"{inner.title}, in base64", at=found.start())


@cache
def _form(number: int) -> re.Pattern[str]:
    """The form of a shape; one that begins with a letter begins a word."""
    form = _SHAPES[number].form
    return re.compile(rf"(?<![A-Za-z0-9]){form}" if form[0].isalpha() else form)


def _stands_for_one(secret: str, title: str) -> bool:
    if title == "a password" and _NO_PASSWORD.fullmatch(secret):
        return True
    fewest = 2 if title in ("a password", "an address with a password") else _FEWEST_LETTERS
    return len(set(secret)) < fewest or bool(_PLACEHOLDER.search(secret))


def _decoded(text: str) -> str:
    try:
        return b64decode(text + "=" * (-len(text) % 4)).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""


def credentials_of(manifest: Any) -> Iterator[tuple[Path, Credential]]:
    """The same in every text of an object, with its path; of variables and entries, the name counts too."""
    texts = list(_texts(manifest, (), ""))
    if any(True for _ in credentials("\n".join(text for _, text in texts))):
        for path, text in texts:
            yield from ((path, found) for found in credentials(text))


def _texts(value: Any, path: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Texts of an object, each behind its name: of a variable that it is the value of, or of the entry."""
    if isinstance(value, str):
        yield path, f"{name}={value}" if name else value
    elif isinstance(value, dict):
        variable = value.get("name")
        for key, item in value.items():
            named = variable if key == "value" and isinstance(variable, str) else key
            yield from _texts(item, (*path, key), str(named))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index), "")

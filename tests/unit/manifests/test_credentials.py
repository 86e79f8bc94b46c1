"""Credentials by their shape. None stands here: each is put together from a prefix and letters in a row."""

from __future__ import annotations

from base64 import b64encode
from itertools import cycle, islice
from string import ascii_letters, digits

import pytest

from platform_def.manifests.credentials import credentials, credentials_of

LETTERS, HEX, CAPITALS = ascii_letters + digits, "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def row(count: int, of: str = LETTERS) -> str:
    """So many characters in a row."""
    return "".join(islice(cycle(of), count))


def titles(text: str) -> list[str]:
    return [found.title for found in credentials(text)]


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


SHAPES = {
    "a GitHub token": ["ghp_" + row(36), "github_pat_" + row(22) + "_" + row(59)],
    "a GitLab token": ["glpat-" + row(20), "glrt-" + row(24)],
    "an access key of AWS": ["AKIA" + row(16, CAPITALS)],
    "a secret key of AWS": ["aws_secret_access_key = " + row(40), '"SecretAccessKey": "' + row(40) + '"'],
    "an API key of Google": ["AIza" + row(35)],
    "a client secret of Google": ["GOCSPX-" + row(28)],
    "an access token of Google": ["ya29." + row(60)],
    "a storage key of Azure": ["AccountName=a;AccountKey=" + row(86) + "=="],
    "an access key of Azure": ["SharedAccessKey=" + row(43) + "="],
    "a shared access signature of Azure": ["https://a.example.com/b?sv=2024-11-04&sig=" + row(43) + "%3D"],
    "a client secret of Azure": ["abc8Q~" + row(34)],
    "a Slack token": ["xoxb-" + row(30), "xapp-1-" + row(30)],
    "a Slack webhook": ["https://hooks.slack.com/services/" + row(44)],
    "a Hugging Face token": ["hf_" + row(34)],
    "a Weights & Biases key": ["WANDB_API_KEY=" + row(40, HEX), "wandb login " + row(40, HEX), "wandb_v1_" + row(70)],
    "an OpenAI key": ["sk-proj-" + row(60)],
    "an Anthropic key": ["sk-ant-" + row(60)],
    "an NVIDIA key": ["nvapi-" + row(64)],
    "an npm token": ["npm_" + row(36)],
    "a PyPI token": ["pypi-AgE" + row(80)],
    "a Docker Hub token": ["dckr_pat_" + row(27)],
    "a Databricks token": ["dapi" + row(32, HEX)],
    "a Vault token": ["hvs." + row(24)],
    "a Grafana token": ["glsa_" + row(40)],
    "a Stripe key": ["sk_" + "live_" + row(24)],
    "a SendGrid key": ["SG." + row(22) + "." + row(43)],
    "a DigitalOcean token": ["dop_v1_" + row(64, HEX)],
    "an age key": ["AGE-SECRET-KEY-1" + row(58, CAPITALS)],
    "a JSON web token": [f"eyJ{row(20)}.eyJ{row(20)}.{row(43)}"],
    "a private key": [f"-----BEGIN {kind}PRIVATE KEY-----\n{row(64)}\n" for kind in ("", "RSA ", "OPENSSH ")],
    "the login of a registry": ['{"auths": {"r.example.com": {"auth": "' + base64("bob:word") + '"}}}'],
    "an address with a password": ["postgres://bob:word@db.example.com/app", "redis://:word@cache:6379"],
    "a password": ["DB_PASSWORD=word", "--token=word", "run --admin-password word"],
}


@pytest.mark.parametrize(("title", "text"), [(title, text) for title, texts in SHAPES.items() for text in texts])
def test_a_credential_is_known_by_its_shape(title: str, text: str) -> None:
    assert title in titles(f"first line\nexport {text} # so\n")


@pytest.mark.parametrize(
    "title", ["a GitHub token", "a Hugging Face token", "a private key", "the login of a registry"]
)
def test_base64_hides_nothing(title: str) -> None:
    text = SHAPES[title][0]

    assert f"{title}, in base64" in titles(f"key: {base64(text)}")
    assert f"{title}, in base64, in base64" in titles(base64(base64(text)))


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 36,
        "AKIAIOSFODNN7EXAMPLE",
        "postgres://${USER}:${PASSWORD}@db.example.com/app",
        "postgres://user:<password>@db.example.com/app",
        "https://registry.example.com:5000/a@sha256:" + row(64, HEX),
        "git@git.example.com:team/platform.git",
        "DB_PASSWORD=$(PASSWORD)",
        "TOKEN=/var/run/secrets/token",
        "USE_TOKEN=true",
        "--token=$(TOKEN) --token-file=/etc/token --initial-cluster-token etcd-cluster-1",
        "--password-file /etc/password",
        "-----BEGIN CERTIFICATE-----\n" + row(64),
        "a PRIVATE KEY begins with -----BEGIN PRIVATE KEY----- and a line of base64",
        "image@sha256:" + row(64, HEX),
        "ALLOW_EMPTY_PASSWORD=yes TOKEN_TTL=3600s",
        "",
    ],
)
def test_what_stands_for_a_credential_or_is_none_passes(text: str) -> None:
    assert titles(text) == []


def test_names_of_variables_and_entries_count() -> None:
    container = {"env": [{"name": "ADMIN_PASSWORD", "value": "word"}, {"name": "USER", "value": "word"}]}
    manifest = {"spec": {"containers": [container]}, "data": {"WANDB_API_KEY": row(40, HEX)}}

    assert [(path, found.title) for path, found in credentials_of(manifest)] == [
        (("spec", "containers", 0, "env", 0, "value"), "a password"),
        (("data", "WANDB_API_KEY"), "a Weights & Biases key"),
    ]


@pytest.mark.parametrize("unit", ["://a:", "--token=", "eyJ", "-----BEGIN PRIVATE KEY-----", "A1b2" * 20, "gh", "x:y@"])
def test_hostile_text_takes_no_longer_than_it_is(unit: str) -> None:
    """A form that backtracks would not end within the life of the test run."""
    assert all(found.title for found in credentials(unit * (200_000 // len(unit))))

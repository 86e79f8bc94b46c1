"""Formats of strings as the API server understands them."""

from __future__ import annotations

import pytest

from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.schemas.formats import checked_formats, converted

CHECKS = checked_formats()
GOOD = {
    "uri": ["/path", "https://a.example/x?y#z", "urn:a:b", "mailto:a@b"],
    "email": ["a@b", "a.b@example.com", "Ada <ada@example.com>"],
    "hostname": ["a", "a-", "a-b", "example.com", "a.b.co", "x" * 63, "localhost", "münchen"],
    "ipv4": ["10.0.0.1", "010.0.0.1", "::ffff:10.0.0.1"],
    "ipv6": ["fd00::1", "::1", "::ffff:10.0.0.1"],
    "cidr": ["10.0.0.0/8", "10.0.0.1/32", "fd00::/128", "0.0.0.0/0"],
    "mac": [
        "00:11:22:33:44:55",
        "00-11-22-33-44-55",
        "0011.2233.4455",
        "00:11:22:33:44:55:66:77",
        ":".join(["aB"] * 20),
    ],
    "uuid": ["01234567-89ab-cdef-0123-456789ABCDEF", "0123456789abcdef0123456789abcdef"],
    "uuid3": ["01234567-89ab-3def-0123-456789abcdef"],
    "uuid4": ["01234567-89ab-4def-8123-456789abcdef", "01234567-89ab-4def-B123-456789abcdef"],
    "uuid5": ["01234567-89ab-5def-9123-456789abcdef"],
    "ssn": ["123-45-6789", "123 45 6789", "123456789"],
    "hexcolor": ["#fff", "fff", "#A0b1C2"],
    "rgbcolor": ["rgb(0,0,0)", "rgb( 1 , 22 , 333 )"],
    "byte": ["Zm9v", "Zm8=", "Zg==", "Zm9vZm9v", "+/+/"],
    "date": ["2026-01-31", "2024-02-29"],
    "datetime": [
        "2026-01-02T03:04:05Z",
        "2026-01-02t03:04:05z",
        "2026-01-02T23:59:59.123+01:00",
        "2026-01-02T00:00:00-09:30",
    ],
    "duration": [
        "1h30m",
        "1.5h",
        "-1s",
        "0",
        "3 days",
        "1 hour",
        "2 hr",
        "5 weeks",
        "1wk",
        "10µs",
        "7 secs",
        "4 min",
        "1 nanosecond",
        "1 microsecond",
        "1 millisecond",
        "1us",
        "2 US",
        "1d",
        "1w",
    ],
    "k8sshortname": ["a", "a-b", "x" * 63, "0a"],
    "k8slongname": ["a", "a.b-c.d", ".".join(["x" * 62] * 4)],
    "corebytes": ["", "Zm9v", "Zm\n9v\r\n", "Zg=="],
    "amount": ["0", "-0", "1Gi", "-0.0"],
    "quantity": ["1", "1.5", ".5", "2.", "-1", "+1", "500m", "4Gi", "1e3", "1E-3", "10k", "1n", "2u", "3P", "3E"],
}
BAD = {
    "uri": ["path", "1http://a", "https://a b", "https://a\x7f", "", "http//a"],
    "email": ["a", "@b", "a@", "a@b c", "a@b@c"],
    "hostname": ["", "-a", "a--b", "a..b", "a.b-", "a_b", "x" * 256, "a.c", "example.com.", "a." + "x" * 64],
    "ipv4": ["10.0.0", "10.0.0.256", "fd00::1", "10.0.0.1%eth0", "a.b.c.d"],
    "ipv6": ["10.0.0.1", "fd00", "fd00::1%eth0", "::00001"],
    "cidr": ["10.0.0.0", "10.0.0.0/33", "fd00::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/a", "/8", "10.0.0.0/-1"],
    "mac": ["00:11:22:33:44", "00:11-22:33:44:55", "00:11:22:33:44:55:66", "0011:2233:4455", "gg:11:22:33:44:55"],
    "uuid": ["01234567-89ab-cdef-0123-456789abcde", "g1234567-89ab-cdef-0123-456789abcdef"],
    "uuid3": ["01234567-89ab-4def-0123-456789abcdef"],
    "uuid4": ["01234567-89ab-4def-7123-456789abcdef", "01234567-89ab-5def-8123-456789abcdef"],
    "uuid5": ["01234567-89ab-5def-c123-456789abcdef", "01234567-89ab-4def-8123-456789abcdef"],
    "ssn": ["12-345-6789", "123-45-678", "123--45-6789"],
    "hexcolor": ["#ff", "#ffff", "#ggg"],
    "rgbcolor": ["rgb(0,0)", "rgb(0,0,1000)", "rgba(0,0,0)", "rgb(a,0,0)"],
    "byte": ["", "Zm9", "Zm9v=", "Zm9v\n", "Z===", "Zm_v"],
    "date": ["2026-1-2", "2026-02-30", "20260131", "2026-01-311"],
    "datetime": [
        "2026-01-02",
        "2026-01-02 03:04:05Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02T00:60:00Z",
        "2026-01-02T00:00:60Z",
        "2026-01-02T00:00:00",
        "2026-13-02T00:00:00Z",
        "2026-01-02T0:00:00Z",
    ],
    "duration": ["", "1", "h", "one hour", "3 parsecs", "1.h.", "days 3"],
    "k8sshortname": ["", "A", "a-", "-a", "a.b", "x" * 64],
    "k8slongname": ["", "A.b", "a..b", ".a", "a.", ".".join(["x" * 63] * 4)],
    "amount": ["-1", "-0.5Gi", "-.1"],
    "corebytes": ["Zm9", "Zm_v", "Zm9v=", "Zm9v "],
    "quantity": ["", "m", "1x", "1.5.2", "1 Gi", "Gi", "1Ki2", "--1", "1e"],
}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_format_takes_what_the_server_takes(name: str) -> None:
    check = CHECKS[f"server:{name}"]

    assert [text for text in GOOD[name] if not check(text)] == []


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_format_refuses_what_the_server_refuses(name: str) -> None:
    check = CHECKS[f"server:{name}"]

    assert [text for text in BAD[name] if check(text)] == []


def test_every_format_has_its_cases() -> None:
    named = {f"server:{name}{mark}" for name in GRAMMARS for mark in ("", "?")}

    assert {f"server:{name}" for name in GOOD} == {f"server:{name}" for name in BAD} == set(CHECKS) - named


@pytest.mark.parametrize(
    ("name", "minor", "known"),
    [
        ("date-time", 25, "server:datetime"),
        ("datetime", 25, "server:datetime"),
        ("k8s-short-name", 33, None),
        ("k8s-short-name", 34, "server:k8sshortname"),
        ("k8s-long-name", 35, "server:k8slongname"),
        ("isbn", 36, None),
    ],
)
def test_a_format_is_known_from_the_version_that_checks_it(name: str, minor: int, known: str | None) -> None:
    assert converted(name, minor) == known

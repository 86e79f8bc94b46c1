"""Which MIG instances NVIDIA's cards can have, together and of each kind.

Sources: NVIDIA's MIG user guide, and the layouts that mig-parted 0.15 brings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

CAPABLE = re.compile(r"(a30|a100|a800|h20|h100|h200|h800|gh200|b100|b200|b300|gb200|gb300|rtx-pro-6000)(-.*)?")
"""Models with MIG."""
WITHOUT = re.compile(
    r"((k|m|p|t)\d+.*|v100.*|titan.*|gtx.*|quadro.*|rtx(?!-?pro-6000).*|a2|a10g?|a16|a40|a[2456]000|l2|l4|l20|l40s?)(-.*)?"
)
"""Models without; of one that is in neither list its pool is believed."""
_SMALL = re.compile(r"a30|rtx-pro-6000")
"""Models of four compute slices; the others have seven."""
_MEMORY = re.compile(r".*-(\d+)gb")
_PROFILE = re.compile(r"(?P<slices>\d)g\.(?P<memory>\d+)gb.*")
_FEATURE = re.compile(r"(\+|-).*")
"""What a profile says behind its size: media engines, graphics."""
PROFILES: Mapping[str, Mapping[str, int]] = {
    model: {profile: int(most) for profile, most in (each.split(":") for each in profiles.split())}
    for models, profiles in (
        ("a30 a30-24gb", "1g.6gb:4 2g.12gb:2 4g.24gb:1"),
        ("a100-40gb a800-40gb", "1g.5gb:7 1g.10gb:4 2g.10gb:3 3g.20gb:2 4g.20gb:1 7g.40gb:1"),
        (
            "a100-80gb a800-80gb h100-80gb h800-80gb",
            "1g.10gb:7 1g.20gb:4 2g.20gb:3 3g.40gb:2 4g.40gb:1 7g.80gb:1",
        ),
        ("h100-94gb", "1g.12gb:7 1g.24gb:4 2g.24gb:3 3g.47gb:2 4g.47gb:1 7g.94gb:1"),
        ("h100-96gb h20-96gb gh200-96gb", "1g.12gb:7 1g.24gb:4 2g.24gb:3 3g.48gb:2 4g.48gb:1 7g.96gb:1"),
        ("h200 h200-141gb", "1g.18gb:7 1g.35gb:4 2g.35gb:3 3g.71gb:2 4g.71gb:1 7g.141gb:1"),
        ("gh200-144gb", "1g.18gb:7 1g.36gb:4 2g.36gb:3 3g.72gb:2 4g.72gb:1 7g.144gb:1"),
        ("b200 b200-180gb", "1g.23gb:7 1g.45gb:4 2g.45gb:3 3g.90gb:2 4g.90gb:1 7g.180gb:1"),
    )
    for model in models.split()
}
"""Profiles by model, with the most devices of each on one card; of a model that is not here the layout is believed."""

_OTHERS = (
    "1g.8gb 1g.16gb 2g.16gb 3g.32gb 4g.32gb 7g.64gb 1g.24gb 2g.48gb 4g.96gb 1g.34gb 1g.67gb 2g.67gb 3g.135gb 4g.135gb "
    "7g.269gb 1g.35gb 1g.70gb 2g.70gb 3g.139gb 4g.139gb 7g.278gb 1g.47gb 2g.47gb 3g.93gb 4g.93gb 7g.186gb 3g.95gb "
    "4g.95gb 7g.189gb"
)
"""Profiles of cards of which not all is known here."""
SIZES = frozenset({*_OTHERS.split(), *(profile for known in PROFILES.values() for profile in known)})
"""Every profile that some card is known to have."""


def bare(profile: str) -> str:
    """The profile's size alone."""
    return _FEATURE.sub("", profile)


def misfit(model: str, layout: Mapping[str, int]) -> str:
    """Why a card of a model cannot have a layout; empty where it can, or where that is not known."""
    if WITHOUT.fullmatch(model):
        return f"{model} has no MIG"
    known = PROFILES.get(model)
    for profile, count in layout.items() if known else ():
        most = (known or {}).get(bare(profile))
        if most is None:
            return f"{model} has no profile {profile}: it has {', '.join(known or ())}"
        if count > most:
            return f"at most {most} of {profile} fit on one {model}, not {count}"
    parts = [(found, count) for profile, count in layout.items() if (found := _PROFILE.fullmatch(profile))]
    slices, there = sum(int(found["slices"]) * count for found, count in parts), 4 if _SMALL.match(model) else 7
    if slices > there:
        return f"its layout takes {slices} compute slices, and {model} has {there}"
    memory, card = sum(int(found["memory"]) * count for found, count in parts), _MEMORY.fullmatch(model)
    # Profiles round their memory up to whole gigabytes.
    if card and memory > int(card[1]) + sum(layout.values()):
        return f"its layout takes {memory} GB, and {model} has {card[1]}"
    return ""


def nowhere(layout: Mapping[str, int]) -> str:
    """Why no card at all can have a layout; empty where one can, or may, for not every card's profiles are known."""
    sizes = {bare(profile) for profile, count in layout.items() if count}
    parts = [(found, count) for profile, count in layout.items() if (found := _PROFILE.fullmatch(profile))]
    slices = sum(int(found["slices"]) * count for found, count in parts)
    if slices > 7:
        return f"it takes {slices} compute slices, and no card has more than 7"
    if sizes <= {*_OTHERS.split()}:
        return ""
    fitting = [model for model, known in PROFILES.items() if sizes <= known.keys()]
    if fitting:
        return "" if any(not misfit(model, layout) for model in fitting) else misfit(fitting[0], layout)
    if all(any(size in known for known in PROFILES.values()) for size in sizes):
        return f"no card has {' and '.join(sorted(sizes))} at once"
    return ""

"""The base of configuration models: spelling, strictness, and the grammar of small types."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

import platform_def.config
from platform_def.config import (
    accelerators,
    capability,
    cluster,
    component,
    model,
    platform,
    pools,
    rdma,
    routing,
    secrets,
    stack,
    teams,
    workloads,
)
from platform_def.config.access import tokens
from platform_def.config.cluster import Delivery
from platform_def.config.model import (
    Image,
    LabelKey,
    LabelValue,
    Model,
    Name,
    ObjectName,
    Port,
    Quantity,
    Subdomain,
    Url,
)
from platform_def.config.storage import entries, volumes
from platform_def.config.workloads import ResourceAmounts

HARDWARE = (accelerators, cluster, pools, rdma)
MODULES = (
    *HARDWARE,
    capability,
    component,
    entries,
    model,
    platform,
    routing,
    secrets,
    stack,
    teams,
    tokens,
    volumes,
    workloads,
)
"""Those that hold models."""


def models(base: type[Model] = Model) -> Iterator[type[Model]]:
    for each in base.__subclasses__():
        if each.__module__.startswith("platform_def.config."):
            yield each
        yield from models(each)


def test_every_module_with_models_is_looked_at() -> None:
    for module in pkgutil.walk_packages(platform_def.config.__path__, "platform_def.config."):
        importlib.import_module(module.name)

    assert {each.__module__ for each in models()} <= {module.__name__ for module in MODULES}


@pytest.mark.parametrize("which", sorted(set(models()), key=str), ids=str)
def test_every_default_is_a_value_that_a_file_might_hold(which: type[Model]) -> None:
    for info in which.model_fields.values():
        if not info.is_required():
            field: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
            default = info.get_default(call_default_factory=True)

            assert TypeAdapter(field).validate_python(default, strict=True) == default


def test_files_spell_in_camel_case_alone_and_code_in_either_way() -> None:
    assert Delivery.from_file({"intervalMinutes": 5}) == Delivery(interval_minutes=5)
    with pytest.raises(ValidationError, match="interval_minutes"):
        Delivery.from_file({"interval_minutes": 5})


def test_what_is_written_is_spelled_as_in_files() -> None:
    written = ResourceAmounts(ephemeral_storage="1Gi").model_dump(exclude_none=True)

    assert written == {"ephemeralStorage": "1Gi"}
    assert ResourceAmounts.model_validate(written).ephemeral_storage == "1Gi"


@pytest.mark.parametrize("data", [{"intervalMinutes": "5"}, {"intervalMinute": 5}])
def test_a_text_is_no_number_and_an_unknown_field_no_field(data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Delivery.from_file(data)


def test_a_model_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Delivery().revision = "other"  # type: ignore[misc]


def taken(kind: Any, value: object) -> bool:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Name, ["a", "0", "a-b", "a" * 63]),
        (Subdomain, ["a", "a.b", "a-b.c-d.example.com", "a" * 253]),
        (LabelKey, ["app", "App_1.x", "example.com/app", "a-b.example.com/App", f"{'a' * 253}/{'b' * 63}"]),
        (LabelValue, ["", "a", "A.b_c-1", "a" * 63]),
        (ObjectName, ["Secret vision/registry", "StorageClass fast", "Gateway.networking.istio.io istio/public"]),
        (ObjectName, ["ClusterRole system:node", f"Secret {'a' * 393}"]),
        (Quantity, ["1", "500m", "1.5Gi", ".5", "2.", "1e3", "+1", "10k", f"{'1' * 64}"]),
        (Url, ["https://a.example", "http://a.example:8080/b@c", "oci://a.example/b", "git+ssh://a.example"]),
        (Image, ["a", "registry.example.com:5000/team/app:1.2", f"a@sha256:{'0' * 64}", f"{'a' * 512}"]),
        (Port, [1, 65535]),
    ],
)
def test_usual_values_are_taken(kind: Any, values: list[object]) -> None:
    assert [value for value in values if not taken(kind, value)] == []


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Name, ["", "A", "-a", "a-", "a.b", "a_b", "a" * 64, "a\n"]),
        (Subdomain, ["", ".a", "a..b", "a.-b", "A.b", f"{'a' * 250}.abc"]),
        (LabelKey, ["", "/app", "a/b/c", "-a", "a-", "Example.com/app", f"a/{'b' * 64}", f"{'a' * 254}/b"]),
        (LabelValue, ["-", "a-", "a b", "a" * 64]),
        (
            ObjectName,
            ["Secret", "secret a", "Secret  a", "Secret A", "Secret a/b/c", "Secret. a", f"Secret {'a' * 394}"],
        ),
        (Quantity, ["", "m", "1x", "-1", "1Ki2", "1.2.3", "1 Gi", f"{'1' * 65}"]),
        (
            Url,
            ["a.example", "https://", "://a.example", "1http://a.example", "https://a b", "https://a\n", "https://u@a"],
        ),
        (Image, ["", "A/b", "a/B:1", "https://a/b:1", "a:1:2", "a/", "a b", "a@sha256:1", f"{'a' * 513}"]),
        (Port, [0, 65536]),
    ],
)
def test_others_are_refused(kind: Any, values: list[object]) -> None:
    assert [value for value in values if taken(kind, value)] == []


def test_a_refused_value_is_shown_up_to_80_characters_with_what_is_wanted() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Name).validate_python("A" * 90)

    assert f"'{'A' * 80}' is not a name: lower-case letters" in str(caught.value)


@pytest.mark.parametrize("address", ["a.example/path", "https://user@a.example"])
def test_a_refused_address_is_not_shown_by_the_message_itself(address: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Url).validate_python(address)

    message = caught.value.errors()[0]["msg"]
    assert address not in message
    assert "write scheme://host/path" in message or "holds credentials" in message


def test_only_what_cannot_be_guessed_is_asked_for() -> None:
    asked = {
        each.__name__: {name for name, info in each.model_fields.items() if info.is_required()}
        for each in models()
        if any(info.is_required() for info in each.model_fields.values())
    }

    assert asked == {
        "Accelerator": {"per_node", "resource"},
        "Application": {"path"},
        "Autoscale": {"max"},
        "BackendTls": {"ca"},
        "CaSource": {"config_map"},
        "CephFs": {"cluster_id", "driver", "filesystem", "monitors", "secret"},
        "Ceph": {"cluster_id", "monitors", "secret"},
        "Cluster": {"kubernetes", "name"},
        "ClusterFacts": {"kubernetes"},
        "ClusterName": {"name"},
        "Cors": {"origins"},
        "DomainPool": {"domain", "pool"},
        "ExistingStorage": {"driver"},
        "ExternalSecretSource": {"path"},
        "FurtherHost": {"host"},
        "Gpu": {"model", "per_node"},
        "HostLibraries": {"driver"},
        "JsonWebKey": {"e", "kid", "n"},
        "JsonWebKeySet": {"keys"},
        "LocalDisk": {"path"},
        "LocalPath": {"driver"},
        "Member": {"name"},
        "ModelLabel": {"key", "values"},
        "Network": {"name"},
        "Nfs": {"driver", "server", "share"},
        "NodePool": {"name"},
        "Provided": {"provided"},
        "Rbd": {"cluster_id", "driver", "monitors", "secret"},
        "Room": {"name"},
        "SecretKey": {"key", "secret"},
        "SecretRef": {"existing"},
        "ServiceAccountTokens": {"audiences", "issuer"},
        "Sharing": {"mode"},
        "Stack": {"api_version", "cluster"},
        "StackHead": {"api_version", "cluster"},
        "StaticVolume": {"path", "storage"},
        "Taint": {"effect", "key"},
        "Team": {"name"},
        "TeamGroup": {"name"},
        "Toleration": {"effect", "key"},
        "Waiver": {"object", "reason", "rule"},
    }


def test_a_default_made_without_a_validator_is_what_the_validator_makes() -> None:
    """A class whose body calls another one builds that one's validator, in every command, at its import."""
    for each in [*models()]:
        for name, field in each.model_fields.items():
            if isinstance(field.default, Model):
                assert field.default == type(field.default)(), f"{each.__name__}.{name}"


def test_importing_the_models_builds_no_validator() -> None:
    code = (
        "from tests.unit.config.test_model import models\n"
        "print(*sorted({each.__name__ for each in models() if each.__pydantic_complete__}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []

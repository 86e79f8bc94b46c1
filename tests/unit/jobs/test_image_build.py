"""Builds of images by BuildKit: what the daemon is told, where it pushes, and which teams may build."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.platform import Platform
from platform_def.config.pools import Taint
from platform_def.config.teams import Team
from tests.unit.jobs.platforms import PLATFORM, configured, objects, problems

TARGET = "registry.example.com/vision/train:1.1"
GIT = {"git": "https://git.example.com/vision/train.git", "revision": "v1.1"}
SAID: dict[str, Any] = {"target": TARGET, "pushSecret": "push", "code": GIT, "team": "vision"}
PROFILES = {"seccomp": "profiles/buildkit.json", "appArmor": "buildkit"}


def made(platform: Platform = PLATFORM, **values: Any) -> dict[str, dict[str, Any]]:
    said = {key: each for key, each in {**SAID, **values}.items() if each is not None}
    return {each["kind"]: each for each in objects("image", platform, **said)}


def pod(platform: Platform = PLATFORM, **values: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(platform, **values)["Job"]["spec"]["template"]["spec"]
    return found


def container(platform: Platform = PLATFORM, **values: Any) -> dict[str, Any]:
    (found,) = pod(platform, **values)["containers"]
    return dict(found)


def variables(found: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in found["env"]}


def mounted(found: dict[str, Any]) -> dict[str, str]:
    return {each["mountPath"]: each["name"] for each in found["volumeMounts"]}


def told(platform: Platform = PLATFORM, **values: Any) -> list[tuple[str, str]]:
    return problems("image", platform, **{**SAID, **values})


def test_code_of_a_repository_is_built_and_pushed_with_a_cache_beside_the_image() -> None:
    found = container()

    assert found["command"] == ["buildctl-daemonless.sh"]
    assert found["args"] == [
        "build",
        "--progress=plain",
        "--frontend=dockerfile.v0",
        "--local=context=/code",
        "--local=dockerfile=/code",
        "--output=type=image,name=$(REPOSITORY):1.1,push=true",
        "--export-cache=type=registry,ref=$(REPOSITORY):buildcache,mode=max",
        "--import-cache=type=registry,ref=$(REPOSITORY):buildcache",
    ]
    assert [each["name"] for each in pod()["initContainers"]] == ["code"]
    assert mounted(found) == {"/docker": "key", "/var/lib/buildkit": "layers", "/code": "code"}


def test_code_comes_by_the_teams_proxy_and_its_authorities() -> None:
    team = Team.from_file(
        {
            "name": "vision",
            "podSecurity": "privileged",
            "proxy": {"https": "http://proxy.example.com:3128"},
            "caBundle": "authorities",
        }
    )
    found = pod(PLATFORM.with_facts(teams=(team,)))
    (clone,) = found["initContainers"]

    assert variables(clone)["HTTPS_PROXY"] == "http://proxy.example.com:3128"
    assert {"name": "private-ca", "configMap": {"name": "authorities"}} in found["volumes"]
    assert {"name": "private-ca", "mountPath": "/etc/platform-def/ca", "readOnly": True} in clone["volumeMounts"]


def test_the_secret_is_where_the_client_looks_and_in_no_variable() -> None:
    (volume,) = (each for each in pod()["volumes"] if each["name"] == "key")

    assert volume["secret"] == {
        "secretName": "push",
        "items": [{"key": ".dockerconfigjson", "path": "config.json"}],
    }
    assert variables(container()) == {"DOCKER_CONFIG": "/docker", "REPOSITORY": "registry.example.com/vision/train"}


def test_dockerfile_stage_and_arguments_are_options() -> None:
    words = container(dockerfile="docker/gpu.Dockerfile", stage="runtime", buildArgs={"CUDA": "12.8"}, cache=False)[
        "args"
    ]

    assert "--local=dockerfile=/code/docker" in words
    assert "--opt=filename=gpu.Dockerfile" in words
    assert "--opt=target=runtime" in words
    assert "--opt=build-arg:CUDA=12.8" in words
    assert not [word for word in words if "cache" in word]


def test_a_dockerfile_may_be_text_in_the_stack() -> None:
    found = made(code=None, content="FROM scratch\n")
    words = container(code=None, content="FROM scratch\n")

    assert found["ConfigMap"]["data"] == {"Dockerfile": "FROM scratch\n"}
    assert found["ConfigMap"]["metadata"]["name"] == found["Job"]["metadata"]["name"]
    assert "--local=dockerfile=/dockerfile" in words["args"]
    (mount,) = (each for each in words["volumeMounts"] if each["name"] == "files")
    assert (mount["mountPath"], mount["subPath"]) == ("/dockerfile/Dockerfile", "Dockerfile")


@pytest.mark.parametrize(
    "values",
    [{"content": "FROM scratch"}, {"code": None}, {"profiles": PROFILES}],
    ids=["two sources", "no source", "profiles without rootless"],
)
def test_one_source_is_named_and_profiles_are_for_rootless(values: dict[str, Any]) -> None:
    said = {key: each for key, each in {**SAID, **values}.items() if each is not None}

    with pytest.raises(ValidationError):
        configured("image", **said)


def test_root_of_the_pod_is_no_user_of_the_node() -> None:
    found = pod()

    assert found["hostUsers"] is False
    assert container()["securityContext"] == {"privileged": True}
    assert container()["image"] == "docker.io/moby/buildkit:v0.32.2"
    assert "securityContext" not in found


def test_a_rootless_daemon_runs_as_its_images_user_without_a_process_space_of_its_own() -> None:
    found, said = pod(isolation="rootless"), container(isolation="rootless")

    assert "hostUsers" not in found
    assert found["securityContext"] == {"runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 1000, "runAsNonRoot": True}
    assert said["image"] == "docker.io/moby/buildkit:v0.32.2-rootless"
    assert said["securityContext"] == {
        "seccompProfile": {"type": "Unconfined"},
        "appArmorProfile": {"type": "Unconfined"},
    }
    assert variables(said)["BUILDKITD_FLAGS"] == "--oci-worker-no-process-sandbox"
    assert mounted(said)["/home/user/.local/share/buildkit"] == "layers"


def test_profiles_of_the_nodes_take_the_place_of_none() -> None:
    context = container(isolation="rootless", profiles=PROFILES)["securityContext"]

    assert context["seccompProfile"] == {"type": "Localhost", "localhostProfile": "profiles/buildkit.json"}
    assert context["appArmorProfile"] == {"type": "Localhost", "localhostProfile": "buildkit"}


@pytest.mark.parametrize(
    ("level", "values", "text"),
    [
        ("privileged", {}, ""),
        ("baseline", {"isolation": "rootless", "profiles": PROFILES}, ""),
        ("baseline", {},
         ("a build needs the Pod Security level privileged, and that of team vision is baseline; build in a team of its "
         "own with `podSecurity: privileged`, for builds and nothing else")),
        ("baseline", {"isolation": "rootless"},
         ("a build needs the Pod Security level privileged, and that of team vision is baseline; build in a team of its "
         "own with `podSecurity: privileged`, for builds and nothing else; or put profiles on the nodes and name them "
         "by `profiles:`")),
        ("restricted", {"isolation": "rootless", "profiles": PROFILES},
         ("a build needs the Pod Security level baseline, and that of team vision is restricted; build in a team of its "
         "own with `podSecurity: privileged`, for builds and nothing else")),
    ],
)  # fmt: skip
def test_a_team_is_at_the_level_that_the_pod_needs(level: Any, values: dict[str, Any], text: str) -> None:
    platform = PLATFORM.with_facts(teams=(Team(name="vision", pod_security=level),))

    assert told(platform, **values) == ([("team", text)] if text else [])
    (found,) = (
        (text for _, text in told(platform, team=None, namespace="other"))
        if level == "baseline" and not values
        else ("",)
    )
    assert not found or found.startswith(
        "a build needs the Pod Security level privileged, and that of its namespace is"
    )


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("registry.example.com/train", "registry.example.com/train has no tag; write one: builds without a tag become"),
        ("vision/train:1", "vision/train:1 names no registry; begin with its host"),
        ("other.example.com/train:1",
         ("nodes pull from registry.example.com/mirror, and other.example.com/train:1 is pushed elsewhere; push it to "
         "registry.example.com/mirror/…")),
    ],
)  # fmt: skip
def test_the_image_goes_where_nodes_pull_from(target: str, text: str) -> None:
    platform = PLATFORM.with_facts(registry="registry.example.com/mirror")
    ((field, said),) = told(platform, target=target)

    assert field == "target"
    assert said.startswith(text)
    assert told(platform) == []


def test_base_images_come_from_the_mirror_and_packages_from_the_stacks_indexes() -> None:
    platform = PLATFORM.with_facts(
        registry="registry.example.com/mirror", package_indexes={"pip": "https://pypi.example.com/simple"}
    )
    found, said = made(platform), container(platform)

    text = found["ConfigMap"]["data"]["buildkitd.toml"]
    assert '[registry."docker.io"]\n  mirrors = ["registry.example.com/mirror/docker.io"]\n' in text
    assert '[registry."nvcr.io"]\n  mirrors = ["registry.example.com/mirror/nvcr.io"]\n' in text
    assert variables(said)["BUILDKITD_FLAGS"] == "--config=/etc/buildkit/buildkitd.toml"
    assert mounted(said)["/etc/buildkit"] == "files"
    assert "--opt=build-arg:PIP_INDEX_URL=https://pypi.example.com/simple" in said["args"]
    assert said["image"] == "registry.example.com/mirror/docker.io/moby/buildkit:v0.32.2"


def test_base_images_of_a_text_come_from_the_mirror_but_stages_and_variables_do_not() -> None:
    text = "ARG BASE\nFROM python:3.12 AS Base\nFROM --platform=linux/amd64 base as two\nFROM ${BASE}\nFROM scratch\nCOPY a FROM\n"
    data = made(PLATFORM.with_facts(registry="m.example.com"), code=None, content=text, target="m.example.com/a/b:1")

    assert data["ConfigMap"]["data"]["Dockerfile"] == text.replace("python", "m.example.com/docker.io/library/python")


def test_room_size_and_place_are_those_of_the_job() -> None:
    found = pod(pool="train", cpu="8", memory="32Gi", room="200Gi", priorityClass="low")
    (build,) = found["containers"]

    assert build["resources"]["requests"] == {"cpu": "8", "memory": "32Gi", "ephemeral-storage": "200Gi"}
    assert build["resources"]["limits"] == {"memory": "32Gi", "ephemeral-storage": "200Gi"}
    assert {"name": "layers", "emptyDir": {"sizeLimit": "200Gi"}} in found["volumes"]
    assert found["nodeSelector"] == {"pool": "train"}
    assert [each["key"] for each in found["tolerations"]] == [Taint(key="gpu", value="train", effect="NoSchedule").key]
    assert found["priorityClassName"] == "low"
    assert made(deadlineHours=2, retries=4)["Job"]["spec"]["activeDeadlineSeconds"] == 7200
    assert made(retries=4)["Job"]["spec"]["backoffLimit"] == 4

"""local-path-provisioner: folders on the disks of nodes as volumes, one class a storage entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field, JsonValue

from platform_def.apis.core.core_v1 import Container, Toleration
from platform_def.config.model import Image, Name, Subdomain
from platform_def.config.storage import LocalPath
from platform_def.constructs import (
    APACHE,
    READ,
    WRITE,
    Account,
    Component,
    ComponentConfig,
    ConfigError,
    Deployment,
    ImageFacts,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    Vulnerability,
    allow,
    config_files,
    config_map,
    env,
    from_field,
    http_probe,
    mounts,
    releases,
    secured,
    tolerations_of,
    yaml_file,
)
from platform_def.constructs.csi import storage_class
from platform_def.constructs.storage_entries import entries_of

SLUG, DRIVER = "local-path-provisioner", "rancher.io/local-path"
ACCOUNT, ROLE, CONFIG = "local-path-provisioner-service-account", "local-path-provisioner-role", "local-path-config"
# The image that upstream's YAML names has no tag; the program's own default is six years old.
HELPER = "docker.io/library/busybox:1.37.0"
RELEASES = releases(
    Release(
        "0.0.37",
        kubernetes="1.25-1.37",
        image="docker.io/rancher/local-path-provisioner:v0.0.37",
        runtime_images=(HELPER,),
        licenses={"busybox": "GPL-2.0-only"},
        upkeep=Upkeep(
            Support.CURRENT,
            (
                Vulnerability("CVE-2025-62878", "who may make classes reaches any path of a node", "0.0.34"),
                Vulnerability("CVE-2026-44543", "who may edit local-path-config gets privileged pods", "0.0.36"),
            ),
        ),
    ),
    license=APACHE,
)
RULES = (
    allow("", "nodes persistentvolumeclaims configmaps pods pods/log", verbs=READ),
    allow("", "persistentvolumes", verbs=WRITE),
    allow("", "events", verbs="create patch"),
    allow("storage.k8s.io", "storageclasses", verbs=READ),
)
OWN_RULES = (allow("", "pods", verbs=WRITE),)
FACTS = ImageFacts(
    runs_as=65532,
    read_only=True,
    source="one static program on scratch (package/Dockerfile at v0.0.37); it reads alone",
)
PRESSED: Toleration = {"key": "node.kubernetes.io/disk-pressure", "operator": "Exists", "effect": "NoSchedule"}
ELSEWHERE = "DEFAULT_PATH_FOR_NON_LISTED_NODES"
SETUP = """#!/bin/sh
# Makes a volume's folder; VOL_PERM is its mode, as the class has it.
set -eu
mkdir -p "$VOL_DIR"
chmod "${VOL_PERM:-0777}" "$VOL_DIR"
"""
TEARDOWN = """#!/bin/sh
# Removes a volume's folder with all that is in it.
set -eu
rm -rf -- "$VOL_DIR"
"""
OF_THE_DISTRIBUTION = {"k3s": "local-path", "kind": "standard"}
"""Distributions that run this program themselves, under the same name of the driver, and their classes."""


class LocalPathProvisionerConfig(ComponentConfig):
    """What a stack may choose about the provisioner; folders and classes are said in `storage`."""

    releases = RELEASES

    namespace: Name = "local-path-storage"
    """Namespace of the provisioner and of the pods that make folders; these mount folders of nodes, so that it is at
    the privileged Pod Security level."""
    driver_name: Subdomain | Annotated[str, Field(pattern=r"^[a-z0-9.-]+/[a-z0-9.-]+$")] = DRIVER
    """Name by which classes know it. It can never be changed for volumes that exist."""
    helper_image: Image = HELPER
    """Image of the pods that make and remove folders; it has a shell, mkdir, chmod and rm."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = 120
    """How long making or removing a folder may take: a large volume is removed file by file."""


class LocalPathProvisioner(Component[LocalPathProvisionerConfig]):
    """Account, rights, configuration, the provisioner, and the classes of the stack's entries."""

    pod_security = PodSecurityNeed("privileged", "its helper pods mount folders of nodes, to make and remove volumes")

    @classmethod
    def problems(cls, at: Setting[LocalPathProvisionerConfig]) -> Iterator[Problem]:
        """No entry to serve, or a second one beside the distribution's own."""
        try:
            entries_of(at, SLUG, LocalPath)
        except ConfigError as error:
            yield from error.problems
        distribution = at.platform.distribution
        if distribution in OF_THE_DISTRIBUTION and at.config.driver_name == DRIVER:
            known = OF_THE_DISTRIBUTION[distribution]
            yield Problem(
                f"components.{at.name}: {distribution} runs a provisioner called {DRIVER}, and both would serve claims",
                hint=f"use its class: `storage: {{…: {{driver: existing, className: {known}}}}}`; or give this one a "
                f"`driverName` of its own",
            )

    @classmethod
    def runtime_images(cls, at: Setting[LocalPathProvisionerConfig]) -> tuple[str, ...]:
        """The image of helper pods, which the provisioner makes from its configuration."""
        return (at.config.helper_image,)

    def build(self) -> None:
        """Everything that makes folders."""
        entries = entries_of(self.setting, SLUG, LocalPath)
        account = Account(self, ACCOUNT).allow(RULES, role=ROLE)
        account.allow_in(self.namespace, OWN_RULES, role=ROLE)
        files = {
            "config.json": config_file(entries, self.config.timeout_seconds),
            "setup": SETUP,
            "teardown": TEARDOWN,
            "helperPod.yaml": yaml_file(self.helper_pod()),
        }
        config_map(self, CONFIG, files)  # read again every half minute
        pod = {"serviceAccountName": ACCOUNT, "containers": [self.container()], "volumes": config_files(CONFIG)}
        # Two would both make a volume: they elect no leader.
        Deployment(self, SLUG, pod=pod, extra_spec={"strategy": {"type": "Recreate"}})  # type: ignore[arg-type]
        for name, entry in entries.items():
            mode = {"permPattern": entry.permissions}
            storage_class(self, name, entry, provisioner=self.config.driver_name, parameters=mode)

    def container(self) -> Container:
        """The provisioner."""
        return {
            "name": SLUG,
            "image": self.release.image,
            "command": ["local-path-provisioner", "start", "--config", "/etc/config/config.json"],
            "env": env(
                {
                    "POD_NAMESPACE": from_field("metadata.namespace"),
                    "CONFIG_MOUNT_PATH": "/etc/config/",
                    "HEALTH_PORT": 8080,
                    "PROVISIONER_NAME": self.config.driver_name,
                    "SERVICE_ACCOUNT_NAME": ACCOUNT,
                }
            ),
            "ports": [{"name": "health", "containerPort": 8080, "protocol": "TCP"}],
            "startupProbe": http_probe("/health", "health", delay=5, period=5, failures=12),
            "livenessProbe": http_probe("/health", "health", delay=10, period=10),
            "readinessProbe": http_probe("/ready", "health", delay=5, period=5),
            "volumeMounts": mounts({CONFIG: "/etc/config/"}),
            "securityContext": secured(FACTS),
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        }

    def helper_pod(self) -> dict[str, JsonValue]:
        """What a pod that makes or removes a folder is made from. It is put on the node of the volume, past the
        scheduler, and stays only where it tolerates what would evict it."""
        wanted = [PRESSED, *(each for pool in self.platform.node_pools for each in tolerations_of(pool))]
        tolerations = [dict(each) for index, each in enumerate(wanted) if each not in wanted[:index]]
        container = {
            "name": "helper-pod",
            "image": self.image(self.config.helper_image),
            "imagePullPolicy": "IfNotPresent",
            "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "128Mi"}},
        }
        spec = {
            "priorityClassName": "system-node-critical",
            "automountServiceAccountToken": False,
            "tolerations": tolerations,
            "containers": [container],
        }
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "helper-pod"}, "spec": spec}  # type: ignore[dict-item]


def config_file(entries: Mapping[str, LocalPath], timeout_seconds: int) -> str:
    """`config.json`: the folders of each class."""
    classes = {name: _folders(entry) for name, entry in sorted(entries.items())}
    content = {"cmdTimeoutSeconds": timeout_seconds, "storageClassConfigs": classes}
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _folders(entry: LocalPath) -> dict[str, JsonValue]:
    if entry.shared:
        return {"sharedFileSystemPath": entry.path}
    nodes = {ELSEWHERE: [entry.path], **entry.nodes}
    return {"nodePathMap": [{"node": node, "paths": [*paths]} for node, paths in nodes.items()]}

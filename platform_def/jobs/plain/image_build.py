"""An image that BuildKit builds in the cluster and pushes to a registry, without a daemon and without root on nodes.

Flags and paths are those of BuildKit v0.32.2: examples/kubernetes/job.userns.yaml and job.rootless.yaml,
examples/buildctl-daemonless, docs/rootless.md, docs/buildkitd.toml.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.apis.core.core_v1 import CONFIG_MAP, Container, PodSpec, Volume, VolumeMount
from platform_def.config.model import Image, Model, Quantity, Subdomain, conflict
from platform_def.config.platform import Platform
from platform_def.config.teams import PodSecurity, owned
from platform_def.constructs.environment import env
from platform_def.constructs.resource import Resource
from platform_def.constructs.workloads.tolerations import tolerations_of
from platform_def.jobs.code import AUTHORITY, CODE, CODE_FOLDER, code_container
from platform_def.jobs.parameters import Code, RelativePath
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.plain.image_sources import build_arguments, mirrored, mirrors_file
from platform_def.jobs.pods.nodes import keep_last_words
from platform_def.jobs.pods.outside import authorities, way_out
from platform_def.jobs.queueing import pool_of
from platform_def.jobs.template import JobConfig, JobProblem, TemplateJob

BUILDKIT = "docker.io/moby/buildkit:v0.32.2"
USER = 1000
"""Of the rootless image."""
FOLDERS = {"user-namespace": "/var/lib/buildkit", "rootless": "/home/user/.local/share/buildkit"}
"""Where the daemon keeps what it builds."""
TEXT_FOLDER, CONFIG_FOLDER, KEY_FOLDER = "/dockerfile", "/etc/buildkit", "/docker"
Isolation = Literal["user-namespace", "rootless"]


class NodeProfiles(Model):
    """Profiles that lie on the nodes already, by which a rootless build does without `Unconfined`."""

    seccomp: RelativePath
    """Seccomp profile below the kubelet's folder, `profiles/buildkit.json`; it allows clone, unshare and mount."""
    app_armor: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=253)]
    """AppArmor profile that is loaded there; it allows mounts."""


class ImageBuildConfig(JobConfig):
    """Parameters of a build."""

    target: Image
    """The image to push, with its tag: `registry.example.com/vision/train:1.1`."""
    push_secret: Subdomain
    """Secret of type kubernetes.io/dockerconfigjson in the job's namespace, by which it is pushed."""
    code: Code | None = None
    """What it is built from: a git repository at a revision, or a folder of an image."""
    dockerfile: RelativePath = "Dockerfile"
    """The Dockerfile in it."""
    content: Annotated[str, Field(min_length=1, max_length=100_000)] | None = None
    """The Dockerfile's text instead."""
    build_args: dict[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str] = Field(default_factory=dict)
    """Arguments that the Dockerfile declares by `ARG`; never a secret, for the image's history shows them."""
    stage: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=200)] | None = None
    """Stage to build, where the Dockerfile has several."""
    cache: bool = True
    """Keep the steps beside the image, under the tag `buildcache`, for the next build."""
    isolation: Isolation = "user-namespace"
    """`user-namespace`: the pod's root is no user of the node's (`hostUsers: false`), from Kubernetes 1.33 on;
    `rootless`: the daemon runs as user 1000, on older clusters too."""
    profiles: NodeProfiles | None = None
    """For `rootless`: profiles of the nodes, with which Pod Security level `baseline` is enough."""
    cpu: Quantity = "4"
    """Cores that the build asks for."""
    memory: Quantity = "8Gi"
    """Memory, request and limit."""
    room: Quantity = "100Gi"
    """Room on the node's disk for layers and caches."""
    retries: Annotated[int, Field(ge=0, le=100)] = 1
    """How often it is tried again."""

    @conflict
    def _one_source(self) -> Iterator[ValueError]:
        if (self.code is None) == (self.content is None):
            yield ValueError("name either `code:` or `content:`, the text of a Dockerfile")
        if self.profiles and self.isolation != "rootless":
            yield ValueError("`profiles` go with `isolation: rootless`")

    @property
    def level(self) -> PodSecurity:
        """The Pod Security level that its pod needs."""
        return "baseline" if self.profiles else "privileged"

    @property
    def repository(self) -> str:
        """The image without its tag."""
        head, slash, last = self.target.partition("@")[0].rpartition("/")
        return head + slash + last.partition(":")[0]

    def queued_kinds(self) -> tuple[str, ...]:
        """None: it takes no devices."""
        return ()

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """A team whose level refuses the pod, and a registry that nodes do not pull from."""
        team = owned(self.owner, platform.teams)
        there = team.pod_security if team else "baseline"
        if there != "privileged" and (there, self.level) != ("baseline", "baseline"):
            whose = f"of team {team.name}" if team else "of its namespace"
            hint = "build in a team of its own with `podSecurity: privileged`, for builds and nothing else"
            if self.isolation == "rootless" and there == "baseline":
                hint += "; or put profiles on the nodes and name them by `profiles:`"
            text = f"a build needs the Pod Security level {self.level}, and that {whose} is {there}"
            yield JobProblem("team", text, hint)
        if self.target == self.repository or "@" in self.target:
            yield JobProblem("target", f"{self.target} has no tag", "write one: builds without a tag become `latest`")
        if "/" not in self.target or not {".", ":"} & {*self.target.partition("/")[0]}:
            yield JobProblem("target", f"{self.target} names no registry", "begin with its host")
        elif platform.mirror.any and not platform.mirror.reachable(self.target):
            text = f"nodes pull from {platform.registry or 'mirrors'}, and {self.target} is pushed elsewhere"
            yield JobProblem("target", text, f"push it to {platform.registry}/…" if platform.registry else "")


class ImageBuild(TemplateJob[ImageBuildConfig]):
    """A Job, and the files that the build reads."""

    def build(self) -> None:
        """All of it."""
        files = mirrors_file(self.platform)
        if self.config.content:
            files["Dockerfile"] = mirrored(self.config.content, self.image)
        if files:
            Resource(self, CONFIG_MAP, self.unique_name, fields={"data": files})
        config = self.config
        labels = {**self.labels(), "sidecar.istio.io/inject": "false"}
        metadata = {"labels": labels, **({"annotations": config.annotations} if config.annotations else {})}
        spec = job_spec(
            {"metadata": metadata, "spec": self.pod(configured="buildkitd.toml" in files)},  # type: ignore[typeddict-item]
            deadline_hours=config.deadline_hours,
            lifetime=config.lifetime,
            retries=config.retries,
        )
        Resource(self, JOB, self.unique_name, spec=spec)

    def pod(self, *, configured: bool) -> PodSpec:
        """The pod; as user 1000, or as a root that the node does not know."""
        config, pool = self.config, pool_of(self.config, self.platform)
        pod: PodSpec = {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "restartPolicy": "Never",
            "containers": [self.container(configured=configured)],
            "volumes": self.volumes(configured=configured),
        }
        if config.code:
            trusts = bool(authorities(config, self.platform))
            out = way_out(config, self.platform)
            pod["initContainers"] = [code_container(config.code, self.image, out, trusts=trusts)]
        if config.isolation == "user-namespace":
            pod["hostUsers"] = False
        else:
            pod["securityContext"] = {"runAsUser": USER, "runAsGroup": USER, "fsGroup": USER, "runAsNonRoot": True}
        if config.priority_class:
            pod["priorityClassName"] = config.priority_class
        if pool and pool.selector:
            pod["nodeSelector"] = dict(pool.selector)
        if pool and pool.taints:
            pod["tolerations"] = tolerations_of(pool)
        keep_last_words(pod)
        return pod

    def container(self, *, configured: bool) -> Container:
        """BuildKit's client, which starts the daemon for this one build."""
        config, rootless = self.config, self.config.isolation == "rootless"
        flags = [
            # Kubernetes masks /proc, which a process space of its own would need unmasked.
            *(["--oci-worker-no-process-sandbox"] if rootless else []),
            *([f"--config={CONFIG_FOLDER}/buildkitd.toml"] if configured else []),
        ]
        variables = {"DOCKER_CONFIG": KEY_FOLDER, "REPOSITORY": config.repository}
        if flags:
            variables["BUILDKITD_FLAGS"] = " ".join(flags)
        container: Container = {
            "name": "build",
            "image": self.image(f"{BUILDKIT}-rootless" if rootless else BUILDKIT),
            "command": ["buildctl-daemonless.sh"],
            "args": self.arguments(),
            "env": env(variables),
            "resources": {
                "requests": {"cpu": config.cpu, "memory": config.memory, "ephemeral-storage": config.room},
                "limits": {"memory": config.memory, "ephemeral-storage": config.room},
            },
            "volumeMounts": self.mounts(configured=configured),
        }
        if not rootless:
            # Of its own user namespace alone: on the node it has no rights.
            container["securityContext"] = {"privileged": True}
        elif config.profiles:
            container["securityContext"] = {
                "seccompProfile": {"type": "Localhost", "localhostProfile": config.profiles.seccomp},
                "appArmorProfile": {"type": "Localhost", "localhostProfile": config.profiles.app_armor},
            }
        else:
            container["securityContext"] = {
                "seccompProfile": {"type": "Unconfined"},
                "appArmorProfile": {"type": "Unconfined"},
            }
        return container

    def arguments(self) -> list[str]:
        """Words of `buildctl build`."""
        config = self.config
        file = PurePosixPath(config.dockerfile)
        context = CODE_FOLDER if config.code else TEXT_FOLDER
        folder = f"{CODE_FOLDER}/{file.parent}" if config.code and file.parent.name else context
        words = ["build", "--progress=plain", "--frontend=dockerfile.v0"]
        words += [f"--local=context={context}", f"--local=dockerfile={folder}"]
        if config.code and file.name != "Dockerfile":
            words.append(f"--opt=filename={file.name}")
        if config.stage:
            words.append(f"--opt=target={config.stage}")
        words += [f"--opt=build-arg:{name}={text}" for name, text in build_arguments(config.build_args, self.platform)]
        # Kubernetes fills in the variable: neither of the two is an image that the cluster needs before it is built.
        words.append(f"--output=type=image,name=$(REPOSITORY){config.target.removeprefix(config.repository)},push=true")
        if config.cache:
            kept = "type=registry,ref=$(REPOSITORY):buildcache"
            words += [f"--export-cache={kept},mode=max", f"--import-cache={kept}"]
        return words

    def volumes(self, *, configured: bool) -> list[Volume]:
        """The registry's key, room for the build, and what it is built from."""
        config = self.config
        key: Volume = {
            "name": "key",
            "secret": {
                "secretName": config.push_secret,
                "items": [{"key": ".dockerconfigjson", "path": "config.json"}],
            },
        }
        made: list[Volume] = [key, {"name": "layers", "emptyDir": {"sizeLimit": config.room}}]
        if config.code:
            made.append({"name": CODE, "emptyDir": {}})
            if config.code.git and (bundle := authorities(config, self.platform)):
                made.append({"name": AUTHORITY, "configMap": {"name": bundle}})
        if config.content or configured:
            made.append({"name": "files", "configMap": {"name": self.unique_name}})
        return made

    def mounts(self, *, configured: bool) -> list[VolumeMount]:
        """Where they are."""
        config = self.config
        made: list[VolumeMount] = [
            {"name": "key", "mountPath": KEY_FOLDER, "readOnly": True},
            {"name": "layers", "mountPath": FOLDERS[config.isolation]},
        ]
        if config.code:
            made.append({"name": CODE, "mountPath": CODE_FOLDER, "readOnly": True})
        if config.content:
            # As a file of its own: in a folder of the ConfigMap's it would be a link, and not the only file.
            made.append(
                {"name": "files", "mountPath": f"{TEXT_FOLDER}/Dockerfile", "subPath": "Dockerfile", "readOnly": True}
            )
        if configured:
            made.append({"name": "files", "mountPath": CONFIG_FOLDER, "readOnly": True})
        return made

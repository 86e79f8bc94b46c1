"""Argo CD's application controller and repo server, with its own settings and those of `platformctl bootstrap`."""

from __future__ import annotations

import base64
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from platform_def.delivery.comparisons import HARD
from platform_def.delivery.gates import AFTER
from platform_def.delivery.target import JOB, ROOT
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import kubeconfig
from tests.cluster.engines.flux import BOOTSTRAP
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.scrape import Page, page_at

NAMESPACE = "argocd"
SECONDS = 900.0
APPLICATIONS = f"/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/applications"
READY = ("Healthy", "Suspended")
PART_OF = {"app.kubernetes.io/part-of": "argocd"}
REFRESH = "argocd.argoproj.io/refresh"
COMPARED = re.compile(r'^{.*"application":"([^"]+)".*"msg":"Comparing app state ', re.MULTILINE)
"""A line of the application controller's log, with the Application."""
CONTROLLER = "argocd-application-controller"
HEALTH = 'return {status = ((obj.status or {}).health or {}).status or "Progressing"}'
INSTALLED: Sequence[Manifest] = (
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": NAMESPACE, "labels": PART_OF},
        # As Argo CD's documentation recommends it to whoever has Applications of Applications.
        "data": {"resource.customizations.health.argoproj.io_Application": HEALTH},
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": NAMESPACE},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    },
)
"""What its own installation brings, as far as the two programs read it."""


NEWEST, OLDEST = "argo-cd", "argo-cd-3.3"
"""The programs of `tools.py`, of the newest and of the oldest release that is proven. The oldest is no longer offered, but
clusters may have it; of the lines in between, no registry has all modules."""

RELEASE = "3.6.1"
"""That of the newest."""


class ArgoCd:
    """The two programs on a control plane, and what a person does with kubectl."""

    manager = "argocd-controller"
    """Under which it applies."""

    def __init__(
        self,
        control_plane: ControlPlane,
        programs: Mapping[str, Path],
        *,
        program: str = NEWEST,
        flags: Sequence[str] = (),
    ) -> None:
        """Install and start; `program` says which release, `flags` are the controller's beside those of every test."""
        self.api = control_plane.api
        self._control_plane = control_plane
        self._program = program
        key = {"server.secretkey": base64.b64encode(secrets.token_bytes(32)).decode()}
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "argocd-secret", "namespace": NAMESPACE, "labels": PART_OF},
            "data": key,
        }
        for each in (*INSTALLED, secret):
            reply = self.api.apply(each, manager="argocd-install")
            assert not reply.refusal, reply.refusal
        redis, repo, metrics, self._metrics = control_plane.sandbox.free_ports(4)
        self._folder = control_plane.folder / "argocd"
        self.known_hosts = self._folder / "ssh" / "ssh_known_hosts"
        """Where an installation has the ConfigMap argocd-ssh-known-hosts-cm."""
        self.certificates = self._folder / "tls"
        """Where it has argocd-tls-certs-cm: a file a host."""
        for folder in (self._folder, self.known_hosts.parent, self.certificates):
            folder.mkdir()
        provide_verifier(self._folder / "bin")
        control_plane.sandbox.start(
            "redis", [str(programs["miniredis"]), f"127.0.0.1:{redis}"], log=control_plane.folder / "redis.log"
        )
        local = f"127.0.0.1:{redis}"
        self._start(
            programs,
            "argocd-repo-server",
            "--address=127.0.0.1",
            f"--port={repo}",
            "--metrics-address=127.0.0.1",
            f"--metrics-port={metrics}",
            "--disable-tls",
            # Its default is refused beside that, and 3.3 does not know it.
            *(["--client-ca-path="] if program == NEWEST else []),
            f"--redis={local}",
        )
        self._programs = programs
        self._controls = (
            f"--kubeconfig={kubeconfig(control_plane)}",
            f"--namespace={NAMESPACE}",
            f"--redis={local}",
            f"--repo-server=127.0.0.1:{repo}",
            "--repo-server-plaintext",
            f"--metrics-port={self._metrics}",
            # As the default of two to three minutes, but sooner: an event that is missed is made up for.
            "--app-resync=20",
            "--app-resync-jitter=0",
            *flags,
        )
        self._start(programs, CONTROLLER, *self._controls)

    def restart(self) -> None:
        """Start the application controller anew, as its StatefulSet would: 3.6.1 may panic in its cache of the cluster some
        time after many definitions went at once."""
        self._control_plane.sandbox.stop(CONTROLLER)
        self._start(self._programs, CONTROLLER, *self._controls)

    def bootstrap(self, repository: PlatformRepository) -> None:
        """Step 2 of the bootstrap text: apply what is labelled so, under a field manager of its own."""
        for each in repository.manifests("_delivery"):
            if each["metadata"].get("labels", {}).get(BOOTSTRAP) == "true":
                reply = self.api.apply(each, manager=self.manager, force=False)
                assert not reply.refusal, reply.refusal
        settings = self.api.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/argocd-cm").body["data"]
        if HARD in settings:
            # The same share of what it looks by itself as on a cluster, where that is two minutes.
            share = float(settings[HARD].removesuffix("s")) / 120
            (*_, looks) = (each.partition("=")[2] for each in self._controls if each.startswith("--app-resync="))
            self._controls = (*self._controls, f"--app-hard-resync={round(int(looks) * share)}")
            self.restart()

    def page(self) -> Page:
        """What the controller says to Prometheus."""
        return page_at(self._control_plane, self._metrics)

    def look(self) -> None:
        """Have the repository read now, instead of at the next interval."""
        self._refresh("normal")

    def visit(self) -> None:
        """Nothing: it watches what it brought."""

    def look_again(self, repository: PlatformRepository) -> None:
        """Forget what was rendered, compare everything once more, and wait until that is done."""
        self._refresh("hard")
        self.wait(repository, repository.revision)

    def applications(self) -> dict[str, Manifest]:
        """By name."""
        return {each["metadata"]["name"]: each for each in self.api.get(APPLICATIONS).body.get("items") or ()}

    def parts(self) -> dict[str, Manifest]:
        """Those that the root brings."""
        return {name: each for name, each in self.applications().items() if name != ROOT}

    def is_ready(self, name: str) -> bool:
        """Whether an Application is there, Synced, and Healthy or Suspended."""
        status = self.applications().get(name, {}).get("status") or {}
        return status.get("sync", {}).get("status") == "Synced" and status.get("health", {}).get("status") in READY

    def needs(self, name: str) -> list[str]:
        """The Applications that one waits for, as its labels say."""
        labels = self.applications()[name]["metadata"]["labels"]
        return [label.removeprefix(AFTER) for label in labels if label.startswith(AFTER)]

    def keeps(self, name: str) -> bool:
        """Whether the root was refused when it was to remove an Application, which is still there."""
        return f"{name} goes after" in self.root() and "deletionTimestamp" not in self.applications()[name]["metadata"]

    def root(self) -> str:
        """What the last operation of the root says, with what became of each object."""
        state = (self.applications()[ROOT].get("status") or {}).get("operationState") or {}
        results = (state.get("syncResult") or {}).get("resources") or ()
        return " ".join([state.get("message", ""), *(each.get("message", "") for each in results)])

    def comparisons(self) -> Counter[str]:
        """How often each Application was compared with its source so far, as the log says."""
        text = self._log(CONTROLLER).read_text(encoding="utf-8", errors="replace")
        return Counter(COMPARED.findall(text))

    def told(self) -> str:
        """What the Applications say of themselves."""
        return "\n".join(_told(each) for each in self.applications().values())

    def has_source(self) -> bool:
        """Whether every Application could be compared the last time, after the last request."""
        return not any(
            REFRESH in each["metadata"].get("annotations", {}) or "ComparisonError" in map(_type, _conditions(each))
            for each in self.applications().values()
        )

    def says(self, words: str, *, seconds: float = 120) -> None:
        """Wait until the root says these words of itself."""
        self.until(lambda: words in _told(self.applications()[ROOT]), seconds=seconds, what=f"it says {words}")

    def synced(self, revision: str, names: Sequence[str]) -> bool:
        """Whether these Applications, and no others, are Synced and ready at a revision; jobs may go on running.

        Suspended are those with a DaemonSet that misses a pod. The root's health is that of all others, jobs included.
        """
        found = self.applications()
        return sorted(found) == sorted(names) and all(
            (status := each.get("status") or {}).get("sync", {}).get("status") == "Synced"
            and status["sync"].get("revision") == revision
            and (status.get("health", {}).get("status") in READY or name == ROOT or JOB in each["metadata"]["labels"])
            and REFRESH not in each["metadata"].get("annotations", {})
            and (status.get("operationState") or {}).get("phase") in ("Succeeded", None)
            for name, each in found.items()
        )

    def wait(self, repository: PlatformRepository, revision: str, *, seconds: float = SECONDS) -> None:
        """Wait until everything in the repository is Synced and Healthy at a revision."""
        names = [
            each["metadata"]["name"] for each in repository.manifests("_delivery") if each["kind"] == "Application"
        ]
        self.until(lambda: self.synced(revision, names), seconds=seconds, what=f"{revision} is synced")

    def until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Wait until a condition holds; TimeoutError says `what` did not come true, and what each Application says."""
        try:
            until(condition, seconds=seconds, what=what, every=0.3)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.told()}") from error

    def _refresh(self, kind: str) -> None:
        patch = {"metadata": {"annotations": {REFRESH: kind}}}
        for name in self.applications():
            self.api.request("PATCH", f"{APPLICATIONS}/{name}", patch, content="application/merge-patch+json")

    def _start(self, programs: Mapping[str, Path], name: str, *flags: str) -> None:
        """The binary is all of Argo CD's programs: the name that it is called by says which."""
        link = self._folder / name
        if not link.exists():
            link.symlink_to(programs[self._program])
        home = self._folder / f"{name}-home"
        home.mkdir(exist_ok=True)
        env = {
            "HOME": str(home),
            "TMPDIR": str(home),
            "KUBECONFIG": str(kubeconfig(self._control_plane)),
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_SSH_DATA_PATH": str(self.known_hosts.parent),
            "ARGOCD_TLS_DATA_PATH": str(self.certificates),
            "ARGOCD_K8S_CLIENT_QPS": "300",
            "PATH": f"{self._folder}/bin:{os.environ['PATH']}",
        }
        self._control_plane.sandbox.start(name, [str(link), *flags], log=self._log(name), env=env)

    def _log(self, name: str) -> Path:
        return self._control_plane.folder / f"{name}.log"


def provide_verifier(folder: Path) -> None:
    """Put there what the image has in its PATH and every comparison calls: it looks at signatures, of which none is here."""
    script = folder / "git-verify-wrapper.sh"
    folder.mkdir(parents=True, exist_ok=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)


def _conditions(application: Manifest) -> Sequence[Manifest]:
    return (application.get("status") or {}).get("conditions") or ()


def _type(condition: Manifest) -> str:
    return str(condition["type"])


def _told(application: Manifest) -> str:
    status = application.get("status") or {}
    operation = status.get("operationState") or {}
    said = [
        f"{status.get('sync', {}).get('status')} at {status.get('sync', {}).get('revision', '')[:8]}",
        str(status.get("health", {}).get("status")),
        f"{operation.get('phase')}: {operation.get('message', '')}",
        *(each["message"] for each in status.get("conditions") or ()),
        *(each.get("message", "") for each in (operation.get("syncResult") or {}).get("resources") or ()),
    ]
    return f"{application['metadata']['name']}: " + "; ".join(said)

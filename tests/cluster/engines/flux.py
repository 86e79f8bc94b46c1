"""Flux' source and kustomize controllers, as the text of `platformctl bootstrap` would have them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from platform_def.delivery.target import ROOT
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import kubeconfig
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.waves import condition
from tests.memory import in_memory

NAMESPACE = "flux-system"
SECONDS = 600.0
KUSTOMIZATIONS = f"/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/kustomizations"
SOURCE = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/gitrepositories/platform"
ARTIFACTS = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/ocirepositories/platform"
BOOTSTRAP = "platform-def/bootstrap"
REQUESTED = "reconcile.fluxcd.io/requestedAt"


class Flux:
    """The two controllers on a control plane, and what a person does with kubectl."""

    source = SOURCE
    """Path of the object that says where Flux reads."""
    manager = "kustomize-controller"
    """Under which it applies."""

    def __init__(self, control_plane: ControlPlane, programs: Mapping[str, Path], *, flags: Sequence[str] = ()) -> None:
        """Start them; `flags` are the kustomize-controller's beside those of every test."""
        self.api = control_plane.api
        self._control_plane = control_plane
        self._asked = 0
        self._run(programs, flags)

    def _run(self, programs: Mapping[str, Path], flags: Sequence[str]) -> None:
        control_plane = self._control_plane
        storage, health, other = control_plane.sandbox.free_ports(3)
        folder = control_plane.folder / "flux"
        folder.mkdir()
        common = ["--metrics-addr=127.0.0.1:0", "--requeue-dependency=1s", "--log-level=info"]
        source = [
            f"--storage-path={folder}",
            f"--storage-addr=127.0.0.1:{storage}",
            f"--storage-adv-addr=127.0.0.1:{storage}",
            f"--health-addr=127.0.0.1:{health}",
        ]
        self._start(programs, "source-controller", [*common, *source])
        self._start(programs, "kustomize-controller", [*common, f"--health-addr=127.0.0.1:{other}", *flags])

    def bootstrap(self, repository: PlatformRepository) -> None:
        """Step 2 of the bootstrap text: apply what is labelled so, under the engine's own field manager."""
        for each in repository.manifests("_delivery"):
            if each["metadata"].get("labels", {}).get(BOOTSTRAP) == "true":
                reply = self.api.apply(each, manager=self.manager, force=False)
                assert not reply.refusal, reply.refusal

    def look(self) -> None:
        """Have the repository read now, and the root look at it, instead of at the next interval."""
        self._request(self.source)
        self.retry(ROOT)

    def visit(self) -> None:
        """Have every part applied now, instead of at its next interval."""
        for name in self.parts():
            self.retry(name)

    def look_again(self, repository: PlatformRepository) -> None:
        """Have every part applied once more, and wait until that is done."""
        self.visit()
        self.settled()
        self.wait(repository, repository.revision)

    def parts(self) -> dict[str, Manifest]:
        """The Kustomizations by name."""
        return {each["metadata"]["name"]: each for each in self.api.get(KUSTOMIZATIONS).body.get("items") or ()}

    def at(self, revision: str, names: Sequence[str]) -> bool:
        """Whether these Kustomizations, and no others, are Ready at a revision."""
        parts = self.parts()
        return sorted(parts) == sorted(names) and all(
            condition(each, "Ready") == "True"
            and each["status"].get("lastAppliedRevision", "").endswith(revision)
            and each["status"].get("observedGeneration") == each["metadata"]["generation"]
            for each in parts.values()
        )

    def wait(self, repository: PlatformRepository, revision: str, *, seconds: float = SECONDS) -> None:
        """Wait until everything in the repository is Ready at a revision; what is not, is in the error."""
        names = [
            each["metadata"]["name"] for each in repository.manifests("_delivery") if each["kind"] == "Kustomization"
        ]
        self.until(lambda: self.at(revision, names), seconds=seconds, what=f"{revision} is applied")

    def until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Wait until a condition holds; TimeoutError says `what` did not come true, and what each Kustomization says."""
        try:
            until(condition, seconds=seconds, what=what, every=0.2)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.told()}") from error

    def told(self) -> str:
        """What the Kustomizations say of themselves."""
        return "\n".join(map(_told, self.parts().values()))

    def checks(self, name: str, revision: str) -> bool:
        """Whether a Kustomization has been applied at a revision and waits to be healthy."""
        status = self.parts()[name].get("status") or {}
        said = [each["message"] for each in status.get("conditions") or () if each["type"] == "Reconciling"]
        return status.get("lastAttemptedRevision", "").endswith(revision) and any(
            "health check" in each for each in said
        )

    def keeps(self, name: str) -> bool:
        """Whether the root was refused when it was to remove a Kustomization, which is still there."""
        parts = self.parts()
        said = (parts[ROOT].get("status") or {}).get("conditions") or ()
        refused = any(f"{name} goes after" in each["message"] for each in said)
        return refused and "deletionTimestamp" not in parts[name]["metadata"]

    def has_source(self) -> bool:
        """Whether the repository could be read the last time, after the last request."""
        source = self.api.get(self.source).body
        answered = source["status"].get("lastHandledReconcileAt") == source["metadata"]["annotations"].get(REQUESTED)
        return condition(source, "Ready") == "True" and answered

    def says(self, words: str, *, seconds: float = 60) -> None:
        """Wait until the source says these words of itself."""
        try:
            until(lambda: words in self._told(), seconds=seconds, what=f"it says {words}")
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self._told()}") from error

    def _told(self) -> str:
        return _told(self.api.get(self.source).body)

    def settled(self) -> None:
        """Wait until every request by `retry` is answered."""

        def answered() -> bool:
            return all(
                each["metadata"].get("annotations", {}).get(REQUESTED) == each["status"].get("lastHandledReconcileAt")
                for each in self.parts().values()
            )

        until(answered, seconds=SECONDS, what="every request is answered", every=0.2)

    def retry(self, name: str) -> None:
        """Have a Kustomization applied now."""
        self._request(f"{KUSTOMIZATIONS}/{name}")

    def _request(self, path: str) -> None:
        """As `flux reconcile` asks: by an annotation that changes."""
        self._asked += 1
        patch = {"metadata": {"annotations": {REQUESTED: str(self._asked)}}}
        reply = self.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message

    def _start(self, programs: Mapping[str, Path], name: str, flags: Sequence[str]) -> None:
        # It unpacks the whole platform for each part: on a disk that is a third of what it computes.
        scratch = tempfile.mkdtemp(prefix="platform-def-flux-", dir=in_memory())
        self._control_plane.sandbox.remove(Path(scratch))
        env = {
            "KUBECONFIG": str(kubeconfig(self._control_plane)),
            "RUNTIME_NAMESPACE": NAMESPACE,
            "TMPDIR": scratch,
        }
        log = self._control_plane.folder / f"{name}.log"
        self._control_plane.sandbox.start(name, [str(programs[name]), *flags], log=log, env=env)


def _told(part: Manifest) -> str:
    said = (part.get("status") or {}).get("conditions") or []
    return f"{part['metadata']['name']}: " + "; ".join(
        f"{each['type']}={each['status']} {each['message']}" for each in said
    )

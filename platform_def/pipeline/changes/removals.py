"""What a change takes away, told before it is written: what leaves the cluster, what stays there without an owner.

It is read from dist/ as it lies there, or as an earlier commit has it: it holds for what was delivered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from platform_def.components.catalogue import ALWAYS
from platform_def.config.words.registered import engines
from platform_def.delivery.gates import CONTENTS, REMOVAL
from platform_def.delivery.markers import is_marker
from platform_def.delivery.migration import migration
from platform_def.delivery.target import JOB
from platform_def.errors import PlatformError
from platform_def.manifests.loose import mapping, text
from platform_def.manifests.rendered import DELIVERY, JOBS, Manifest
from platform_def.manifests.updates.replacing import SYNC
from platform_def.pipeline.changes.lost_access import lost_access
from platform_def.pipeline.changes.previous import Previous
from platform_def.pipeline.jobs.recurring import recurring_run
from platform_def.pipeline.output.layout import CLUSTER
from platform_def.yaml import load

_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
_ENGINES = {"application.argoproj.io-": "argocd", "kustomization.kustomize.toolkit.fluxcd.io-": "flux"}
"""How the files of each engine's objects begin."""
_MUTATING = f"{DELIVERY}/{CLUSTER}/mutatingadmissionpolicy."
_POLICY = f"{DELIVERY}/{CLUSTER}/validatingadmissionpolicy.admissionregistration.k8s.io-"
_GATE, _KEEPS = f"{_POLICY}{CONTENTS}.yaml", f"{_POLICY}{REMOVAL}.yaml"
_SHOWN = 6


@dataclass(frozen=True)
class Removal:
    """What a change takes from one stack."""

    stack: str
    retired: bool
    """The whole stack goes."""
    components: tuple[str, ...]
    """Components that have no files any more."""
    leave: tuple[str, ...]
    """Objects that the engine deletes: of components, and of jobs that start on a schedule."""
    unguarded: tuple[str, ...]
    """Of these, custom resources whose operator leaves beside them, and no policy has it wait for them."""
    delivery: tuple[str, ...]
    """Objects of the engine itself that it deletes: what applied these components, policies for their order."""
    stay: tuple[str, ...]
    """Objects that stay in the cluster and are no longer managed."""
    jobs: tuple[str, ...]
    """Jobs that are no longer rendered; one that runs goes on."""
    recurring: tuple[str, ...]
    """Recurring runs of these jobs, which the server of pipelines goes on starting."""
    access: tuple[str, ...]
    """People and groups that lose roles in namespaces, or whose requests no longer reach the pods there, and what."""
    engine_before: str
    engine_after: str
    namespace: str
    """The namespace of the previous engine's objects."""
    mutates: bool
    """Whether a policy of the previous engine changes objects."""
    gated: bool
    """Whether gates kept the order under the previous engine."""

    def __bool__(self) -> bool:
        """Whether it takes anything away, or changes the engine."""
        taken = (self.leave, self.delivery, self.stay, self.jobs, self.access, self.components)
        return any(taken) or self.moves

    @property
    def moves(self) -> bool:
        """Whether another engine takes over."""
        return not self.retired and self.engine_before != self.engine_after

    def lines(self) -> Iterator[str]:
        """For a person."""
        if self.retired:
            yield f"{self.stack}: the stack is retired; its engine keeps asking for a folder that is gone"
        elif self.components:
            yield f"{self.stack}: taken out: {', '.join(self.components)}"
        if self.leave:
            yield f"{self.stack}: {_objects(self.leave)} the cluster: {_some(self.leave)}"
        if self.unguarded:
            yield (
                f"{self.stack}: no policy keeps their operator until these are gone, and what carries a finalizer may "
                f"stay for good; take them out in a change of their own first: {_some(self.unguarded)}"
            )
        if self.delivery:
            yield f"{self.stack}: {_objects(self.delivery, 'delivery object')} the cluster: {_some(self.delivery)}"
        if self.stay:
            yield f"{self.stack}: stays in the cluster, no longer managed: {_some(self.stay)}"
        for line in self.access[:_SHOWN]:
            yield f"{self.stack}: access is taken from {line}"
        if len(self.access) > _SHOWN:
            yield f"{self.stack}: access is taken from {len(self.access) - _SHOWN} more people and groups"
        if self.jobs:
            yield f"{self.stack}: no longer rendered, though what runs goes on: job {', '.join(self.jobs)}"
        if self.recurring:
            runs = _some(self.recurring)
            yield f"{self.stack}: goes on until you delete it in Kubeflow Pipelines: recurring run {runs}"
        if self.moves:
            yield from migration(
                self.stack,
                self.engine_before,
                self.engine_after,
                namespace=self.namespace,
                mutates=self.mutates,
                gated=self.gated,
            )


def removals(
    previous: Previous, stacks: Mapping[str, Mapping[str, bytes]], retired: Collection[str]
) -> tuple[Removal, ...]:
    """What these stacks take away of what was there; `stacks` as `write` takes them."""
    wanted: Mapping[str, Mapping[str, bytes]] = {**stacks, **{name: {} for name in retired}}
    found = (_removal(previous, name, files, retired=name in retired) for name, files in sorted(wanted.items()))
    return tuple(removal for removal in found if removal)


def _removal(previous: Previous, stack: str, files: Mapping[str, bytes], *, retired: bool) -> Removal:
    digests = {path: known for one in previous.indexes(stack) for path, known in one.files.items()}
    former = set(digests)
    of_engine = [path for path in former if path.startswith(f"{DELIVERY}/")]
    before, after = _engine(of_engine), _engine(files)
    still_there = {_identity(path) for path in files}
    gone = sorted(path for path in former.difference(files) if _identity(path) not in still_there)
    contents = previous.files(stack, gone) if gone else {}
    jobs = _jobs(former) - _jobs(files)
    recurring: list[str] = []
    leave: list[str] = []
    stay: list[str] = []
    delivery: list[str] = []
    pruned: list[Manifest] = []
    defined: set[tuple[str, str]] = set()
    staying = _components(files)
    deleted = _deleted_jobs(contents)
    applied = before != "none" and before == after and not retired
    stays_guarded = _KEEPS in former and _KEEPS in files
    for path in gone:
        manifest = _manifest(contents.get(path, b""))
        if path.startswith(f"{JOBS}/"):
            job = path.split("/")[1]
            recurring += recurring_run(manifest) if manifest and job in jobs and not retired else ()
            if manifest and job in deleted and applied:
                (stay if _is_kept(manifest) else leave).append(_title(manifest))
        elif manifest is not None and path.startswith(f"{DELIVERY}/"):
            delivery += (
                [_title(manifest)] if applied else ()
            )  # a move says itself what becomes of the previous engine's
        elif manifest is not None and not is_marker(manifest):
            own = engines()[before].component if before in engines() else ""
            itself = path.startswith(f"{own}/") and own not in staying
            kept = retired or before == "none" or itself or _is_kept(manifest)
            (stay if kept else leave).append(_title(manifest))
            stay += _claims(manifest) if not kept else ()
            pruned += [manifest] if not kept else ()
            defined |= _defines(manifest)
    return Removal(
        stack=stack,
        retired=retired,
        # The component `namespaces` is in no stack file: it has files where something needs a namespace.
        components=tuple(sorted((_components(former) - _components(files)).difference(ALWAYS))),
        leave=tuple(leave),
        unguarded=() if stays_guarded else tuple(_title(each) for each in pruned if _kind(each) in defined),
        delivery=tuple(delivery),
        stay=tuple(stay),
        jobs=tuple(sorted(jobs - deleted if applied else jobs)),
        recurring=tuple(recurring),
        access=() if retired else lost_access(digests, partial(previous.files, stack), files),
        engine_before=before,
        engine_after=after if former else before,
        namespace=next((path.split("/")[1] for path in sorted(of_engine) if _engine([path]) != "none"), ""),
        mutates=any(path.startswith(_MUTATING) for path in former),
        gated=_GATE in former,
    )


def _identity(path: str) -> str:
    """Namespace and file name: the object whatever component has it."""
    return "/".join(path.split("/")[-2:])


def _components(files: Iterable[str]) -> set[str]:
    return {path.partition("/")[0] for path in files if "/" in path and not path.startswith("_")}


def _jobs(files: Iterable[str]) -> set[str]:
    return {path.split("/")[1] for path in files if path.startswith(f"{JOBS}/")}


def _deleted_jobs(contents: Mapping[str, bytes]) -> set[str]:
    """Jobs whose delivery object goes and takes their objects along: those that start on a schedule."""
    found = set()
    for path, content in contents.items():
        manifest = _manifest(content) if path.startswith(f"{DELIVERY}/") else None
        if manifest and (manifest["metadata"].get("finalizers") or mapping(manifest.get("spec")).get("prune")):
            found.add(text(mapping(manifest["metadata"].get("labels")).get(JOB)))
    return found


def _engine(files: Iterable[str]) -> str:
    names = {path.rpartition("/")[2] for path in files if path.startswith(f"{DELIVERY}/")}
    found = (engine for start, engine in _ENGINES.items() if any(name.startswith(start) for name in names))
    return next(found, "none")


def _manifest(content: bytes) -> Manifest | None:
    """The object as it was delivered; None where it has been removed or broken meanwhile."""
    try:
        found: Any = load(content)
    except PlatformError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("metadata"), dict) else None


def _is_kept(manifest: Manifest) -> bool:
    annotations = manifest["metadata"].get("annotations")
    notes = annotations if isinstance(annotations, dict) else {}
    return "Prune=false" in str(notes.get(SYNC, "")) or notes.get(_PRUNE) == "disabled"


def _kind(manifest: Manifest) -> tuple[str, str]:
    return str(manifest.get("apiVersion")).partition("/")[0], str(manifest.get("kind"))


def _defines(manifest: Manifest) -> set[tuple[str, str]]:
    """Group and kind that a definition defines."""
    if manifest.get("kind") != "CustomResourceDefinition":
        return set()
    spec = mapping(manifest.get("spec"))
    return {(text(spec.get("group")), text(mapping(spec.get("names")).get("kind")))}


def _claims(manifest: Manifest) -> Iterator[str]:
    """Claims that a StatefulSet has made outlive it, unless it says otherwise."""
    spec = manifest.get("spec")
    if manifest.get("kind") != "StatefulSet" or not isinstance(spec, dict) or not spec.get("volumeClaimTemplates"):
        return
    policy = spec.get("persistentVolumeClaimRetentionPolicy")
    if not isinstance(policy, dict) or policy.get("whenDeleted") != "Delete":
        yield f"the claims of {_title(manifest)}"


def _title(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{manifest.get('kind')} {place}{metadata.get('name')}"


def _objects(titles: Collection[str], noun: str = "object") -> str:
    return f"1 {noun} leaves" if len(titles) == 1 else f"{len(titles)} {noun}s leave"


def _some(titles: tuple[str, ...]) -> str:
    more = f" and {len(titles) - _SHOWN} more" if len(titles) > _SHOWN else ""
    return ", ".join(titles[:_SHOWN]) + more

"""Which API a word means: every core kind and every custom resource that the catalogue knows, by any of its names.

The table of API types is asked first; components, whose modules load cdk8s, only where the table has no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import entry_points
from typing import Any

from platform_def.crds.catalogue import definitions, entries, known
from platform_def.crds.core.definitions import NEWEST, OLDEST
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.index import Entry, entry_of
from platform_def.crds.model import Api, Definition
from platform_def.crds.versions import age, preference
from platform_def.errors import ConfigError, nearest
from platform_def.packages import COMPONENTS

KUBERNETES = "kubernetes"
_CORE_SHORT_NAMES = {
    "ConfigMap": "cm", "CronJob": "cj", "CustomResourceDefinition": "crd crds", "DaemonSet": "ds",
    "Deployment": "deploy", "Endpoints": "ep", "Event": "ev", "HorizontalPodAutoscaler": "hpa", "Ingress": "ing",
    "LimitRange": "limits", "Namespace": "ns", "NetworkPolicy": "netpol", "Node": "no", "PersistentVolume": "pv",
    "PersistentVolumeClaim": "pvc", "Pod": "po", "PodDisruptionBudget": "pdb", "PriorityClass": "pc",
    "ReplicaSet": "rs", "ReplicationController": "rc", "ResourceQuota": "quota", "Service": "svc",
    "ServiceAccount": "sa", "StatefulSet": "sts", "StorageClass": "sc", "VolumeAttributesClass": "vac",
}  # fmt: skip
"""As every API server's discovery says."""


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """One version of one kind, as one release serves it."""

    component: str
    """`kubernetes` for core kinds, with minor versions as releases."""
    release: str
    group: str
    version: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...] = ()
    load: Callable[[], Definition] | None = field(default=None, compare=False)
    """Gets its CRD; None for core kinds."""

    @property
    def api(self) -> Api[Any] | None:
        """Its types, which are imported now; None for core kinds."""
        definition = self.load() if self.load else None
        return next((api for api in definition.versions if api.version == self.version), None) if definition else None

    @property
    def source(self) -> str:
        """`training-operator-1.9.4`, `kubernetes-1.36`."""
        return f"{self.component}-{self.release}"

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def full_name(self) -> str:
        """What no other resource is called: `pytorchjobs.kubeflow.org`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def named(self, word: str) -> bool:
        """Whether plural, singular or kind is `word`, in any case."""
        return word.lower() in (self.plural, self.singular, self.kind.lower())


@dataclass(frozen=True, slots=True)
class FoundApi:
    """What a word meant."""

    served: ServedVersion
    path: str
    """What of the path is left for fields."""
    alike: tuple[ServedVersion, ...]
    """The same kind in other releases and versions."""
    namesakes: tuple[str, ...]
    """Full names of other resources of the same name."""


def find_resource(path: str, *, api_version: str = "", release: str = "") -> FoundApi:
    """The resource at the start of a dotted path: `pytorchjobs.spec`, `Job.batch.volcano.sh`, `deployments.v1.apps`.

    A core kind is taken before custom ones of the same name; of several releases the newest, of its versions the one
    that an API server prefers. Raises ConfigError where nothing, or more than one custom resource, has that name.
    """
    word, _, rest = path.partition(".")
    if not word:
        raise ConfigError("no resource is named", hint="as in pytorchjobs.spec, or deployments")
    rows = list(_rows())
    everywhere = _named(rows, word)
    if not everywhere or (release and release not in {row.source for row in everywhere}):
        rows += _of_packages()
        everywhere = _named(rows, word)
    if not everywhere:
        names = {name for row in rows for name in (row.plural, row.kind)}
        raise ConfigError(f"no resource is called '{word[:64]}'", hint=nearest(word, names))
    of_group, rest = _of_group(everywhere, rest)
    wanted = _of_version(of_group, word, api_version)
    wanted = _of_release(wanted, rows, word=word, release=release)
    kinds = {(row.group, row.kind): row for row in wanted}
    chosen = _one(word, kinds)
    served = newest(row for row in wanted if (row.group, row.kind) == chosen)
    alike = (row for row in everywhere if (row.group, row.kind) == chosen and row != served)
    namesakes = sorted({row.full_name for key, row in kinds.items() if key != chosen})
    return FoundApi(served, rest, tuple(dict.fromkeys(alike)), tuple(namesakes))


def resource_names() -> set[str]:
    """The plurals of all core kinds and of the catalogue's custom ones."""
    return {row.plural for row in _rows()}


def _rows() -> Iterator[ServedVersion]:
    for (api_version, kind), core in CORE_KINDS.items():
        group, _, version = api_version.rpartition("/")
        short = tuple(_CORE_SHORT_NAMES.get(kind, "").split())
        for minor in range(core.since, core.until + 1):
            yield ServedVersion(KUBERNETES, f"1.{minor}", group, version, kind, core.plural, kind.lower(), short)
    yield from _of_catalogue()


def custom_resources() -> list[ServedVersion]:
    """Every version of every custom kind that the catalogue or an installed package's component serves."""
    return [*_of_catalogue(), *_of_packages()]


def _of_catalogue() -> Iterator[ServedVersion]:
    for name, served in known().items():
        for entry in entries(name):
            yield from _served_by(served.component, served.release, entry, partial(_definition, name, entry.name))


def _definition(name: str, crd: str) -> Definition:
    return next(one for one in definitions(name) if one.name == crd)


def _of_packages() -> Iterator[ServedVersion]:
    if not entry_points(group=COMPONENTS):
        return
    from platform_def.components.catalogue import component, external

    for point in external():
        for release in component(point.name).config_model().releases:
            for one in getattr(release, "apis", ()):
                yield from _served_by(point.name, release.version, entry_of(one), partial(_itself, one))


def _itself(definition: Definition) -> Definition:
    return definition


def _served_by(component: str, release: str, entry: Entry, load: Callable[[], Definition]) -> Iterator[ServedVersion]:
    group, kind, plural, singular, short_names = entry[:5]
    for version in entry.versions:
        yield ServedVersion(component, release, group, version, kind, plural, singular, short_names, load)


def _named(rows: Sequence[ServedVersion], word: str) -> list[ServedVersion]:
    return [row for row in rows if row.named(word)] or [row for row in rows if word.lower() in row.short_names]


def _of_group(rows: Sequence[ServedVersion], rest: str) -> tuple[list[ServedVersion], str]:
    """Only what the path goes on to name: `kubeflow.org` or `v1.kubeflow.org`; with what is left of the path."""
    spelled = {name for row in rows if row.group for name in (row.group, f"{row.version}.{row.group}")}
    for name in sorted(spelled, key=len, reverse=True):
        if rest == name or rest.startswith(f"{name}."):
            of_it = [row for row in rows if row.group and name in (row.group, f"{row.version}.{row.group}")]
            return of_it, rest[len(name) + 1 :]
    return list(rows), rest


def _of_version(rows: Sequence[ServedVersion], word: str, api_version: str) -> list[ServedVersion]:
    wanted = [row for row in rows if api_version in ("", row.api_version)]
    if not wanted:
        hint = nearest(api_version, {row.api_version for row in rows})
        raise ConfigError(f"'{word}' is not served as {api_version[:64]}", hint=hint)
    return wanted


def _of_release(
    rows: Sequence[ServedVersion], every: Sequence[ServedVersion], *, word: str, release: str
) -> list[ServedVersion]:
    wanted = [row for row in rows if release in ("", row.source)]
    if wanted:
        return wanted
    if release not in {row.source for row in every}:
        raise ConfigError(f"no release '{release[:64]}' is known", hint=nearest(release, {row.source for row in every}))
    raise ConfigError(f"{release} has no '{word}'", hint=f"served by {', '.join(_sources(rows))}")


def _sources(rows: Sequence[ServedVersion]) -> list[str]:
    """Releases that serve something; of Kubernetes' only the range."""
    core = [int(row.release[2:]) for row in rows if row.component == KUBERNETES]
    span = [f"{KUBERNETES}-1.{max(min(core), OLDEST)} to 1.{min(max(core), NEWEST)}"] if core else []
    return span + sorted({row.source for row in rows if row.component != KUBERNETES})


def _one(word: str, kinds: dict[tuple[str, str], ServedVersion]) -> tuple[str, str]:
    core = sorted(key for key, row in kinds.items() if row.component == KUBERNETES)
    if core or len(kinds) == 1:
        return core[0] if core else next(iter(kinds))
    names = " or ".join(sorted(row.full_name for row in kinds.values()))
    raise ConfigError(f"'{word}' is the name of more than one resource", hint=f"write {names}")


def newest(rows: Iterable[ServedVersion]) -> ServedVersion:
    """Each component's newest release, of these the version that an API server prefers."""
    newest: dict[str, list[ServedVersion]] = {}
    for row in sorted(rows, key=lambda row: age(row.release, row.component), reverse=True):
        of_it = newest.setdefault(row.component, [])
        if not of_it or of_it[0].release == row.release:
            of_it.append(row)
    latest = (row for of_it in newest.values() for row in of_it)
    return max(latest, key=lambda row: (preference(row.version), age(row.release, row.component)))

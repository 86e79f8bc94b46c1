"""What Kueue's webhooks refuse, and annotations that it overlooks.

Facts: Kueue 0.19 (pkg/webhooks/clusterqueue_webhook.go and cohort_webhook.go; jobframework/tas_validation.go;
jobs/job/job_webhook.go). Kueue reads a queue's name from the label alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from platform_def.apis.kueue import QUEUE_LABEL
from platform_def.checks.fault import Fault
from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Manifest

GROUP = "kueue.x-k8s.io"
REQUIRED, PREFERRED = f"{GROUP}/podset-required-topology", f"{GROUP}/podset-preferred-topology"
UNCONSTRAINED = f"{GROUP}/podset-unconstrained-topology"
SLICES, SLICE_SIZE = f"{GROUP}/podset-slice-required-topology", f"{GROUP}/podset-slice-size"
FEWEST = f"{GROUP}/job-min-parallelism"
_MOST, _MOST_PAIRS = 256, 512


def of_cluster_queue(manifest: Manifest) -> Iterator[Fault]:
    """A ClusterQueue."""
    cohort = at(manifest, "spec.cohortName") or at(manifest, "spec.cohort")
    # In v1beta1 a rule of the CRD says it.
    alone = not cohort and manifest.get("apiVersion") != f"{GROUP}/v1beta1"
    yield from _groups(manifest, "cohortName" if alone else "", lends_all=False)
    preemption = mapping(at(manifest, "spec.preemption"))
    borrowing = text(at(preemption, "borrowWithinCohort.policy"))
    if preemption.get("reclaimWithinCohort") in (None, "Never") and borrowing not in ("", "Never"):
        said = (
            f"{borrowing} cannot be combined with reclaimWithinCohort: Never (the default): Kueue's webhook refuses it"
        )
        hint = "write reclaimWithinCohort: LowerPriority, or leave borrowWithinCohort out"
        yield Fault("spec.preemption.borrowWithinCohort.policy", said, hint)
    flavors = [text(mapping(each).get("name")) for group in _listed(manifest) for each in items(group.get("flavors"))]
    for index, check in enumerate(items(at(manifest, "spec.admissionChecksStrategy.admissionChecks"))):
        for place, name in enumerate(items(mapping(check).get("onFlavors"))):
            if name not in flavors:
                path = f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{place}]"
                said = f"'{str(name)[:60]}' is not a flavor of the queue: Kueue's webhook refuses it"
                yield Fault(path, said, f"write one of {', '.join(flavors)}")


def of_cohort(manifest: Manifest) -> Iterator[Fault]:
    """A Cohort."""
    parent = at(manifest, "spec.parentName") or at(manifest, "spec.parent")
    yield from _groups(manifest, "parentName" if not parent else "", lends_all=True)


def _listed(manifest: Manifest) -> Sequence[Mapping[str, Any]]:
    return [mapping(each) for each in items(at(manifest, "spec.resourceGroups"))]


def _groups(manifest: Manifest, lacks: str, *, lends_all: bool) -> Iterator[Fault]:
    covered: dict[str, str] = {}
    known: dict[str, str] = {}
    for index, group in enumerate(_listed(manifest)):
        path = f"spec.resourceGroups[{index}]"
        names = [text(each) for each in items(group.get("coveredResources"))]
        for place, name in enumerate(names):
            own = f"{path}.coveredResources[{place}]"
            if name and name in covered:
                said = f"{name} is covered at {covered[name]} as well: Kueue's webhook refuses the queue"
                yield Fault(own, said, "cover each resource in one group")
            covered.setdefault(name, own)
        pairs = 0
        for place, flavor in enumerate(map(mapping, items(group.get("flavors")))):
            own, name = f"{path}.flavors[{place}]", text(flavor.get("name"))
            # Twice in one list is refused by the API server itself.
            if name in known and not known[name].startswith(path):
                said = f"flavor {name} is listed at {known[name]} as well: Kueue's webhook refuses the queue"
                yield Fault(f"{own}.name", said, "have each flavor in one group, once")
            known.setdefault(name, f"{own}.name")
            resources = [mapping(each) for each in items(flavor.get("resources"))]
            pairs += len(resources)
            yield from _order(own, [text(each.get("name")) for each in resources], names)
            for number, resource in enumerate(resources):
                yield from _quota(f"{own}.resources[{number}]", resource, lacks, lends_all=lends_all)
        if pairs > _MOST_PAIRS:
            yield Fault(path, f"has {pairs} quotas: Kueue's webhook takes {_MOST_PAIRS}", "use fewer flavors")
    for many, what in ((known, "flavors"), (covered, "covered resources")):
        if len(many) > _MOST:
            yield Fault("spec.resourceGroups", f"has {len(many)} {what}: Kueue's webhook takes {_MOST}", "use fewer")


def _order(path: str, named: Sequence[str], covered: Sequence[str]) -> Iterator[Fault]:
    """The resources of a flavor are those of its group, in their order."""
    if named == covered or len({*covered}) < len(covered):
        return
    want = f"write them as in coveredResources: {', '.join(covered)}"
    if sorted(named) == sorted(covered):
        said = f"the resources are not in the order of coveredResources ({', '.join(covered)})"
        place = next(index for index, (one, other) in enumerate(zip_longest(named, covered)) if one != other)
        yield Fault(f"{path}.resources[{place}].name", f"{said}: Kueue's webhook refuses the queue", want)
    else:
        said = f"has quotas of {', '.join(named) or 'nothing'}, and its group covers {', '.join(covered) or 'nothing'}"
        yield Fault(f"{path}.resources", f"{said}: Kueue refuses the queue", want)


def _quota(path: str, resource: Mapping[str, Any], lacks: str, *, lends_all: bool) -> Iterator[Fault]:
    nominal = amount(resource.get("nominalQuota"))
    for field in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        value = amount(resource.get(field))
        if value is not None and value < 0:
            yield Fault(f"{path}.{field}", "is less than 0: Kueue's webhook refuses it", "write 0 or more")
        if field != "nominalQuota" and resource.get(field) is not None and lacks:
            said = f"needs {lacks}: Kueue's webhook refuses it"
            yield Fault(f"{path}.{field}", said, f"leave it out, or write {lacks}")
    lent = amount(resource.get("lendingLimit"))
    if not lends_all and lent is not None and nominal is not None and lent > nominal:
        said = f"{lent:f} is more than nominalQuota, {nominal:f}: Kueue's webhook refuses it"
        yield Fault(f"{path}.lendingLimit", said, f"write at most {nominal:f}")


def of_job(manifest: Manifest) -> Iterator[Fault]:
    """A Job of Kubernetes that Kueue may start with fewer pods."""
    value = mapping(at(manifest, "metadata.annotations")).get(FEWEST)
    parallelism, completions = at(manifest, "spec.parallelism"), at(manifest, "spec.completions")
    most = parallelism if isinstance(parallelism, int) else 1
    most = min(most, completions) if isinstance(completions, int) else most
    if value is not None and not (str(value).isdecimal() and 0 < int(str(value)) < most):
        said = f"'{str(value)[:40]}' is not at least 1 and below the job's {most} pods: Kueue's webhook refuses it"
        hint = f"write a number below {most}" if most > 1 else "leave it out: the job has one pod"
        yield Fault(dotted(("metadata", "annotations", FEWEST)), said, hint)


def of_metadata(path: Path, metadata: Mapping[str, Any]) -> Iterator[Fault]:
    """The metadata of an object, or of a template of pods."""
    annotations = mapping(metadata.get("annotations"))
    if QUEUE_LABEL in annotations and QUEUE_LABEL not in mapping(metadata.get("labels")):
        said = "Kueue reads the queue only from a label: the job is in no queue"
        hint = f"write it under labels: `{QUEUE_LABEL}: {text(annotations[QUEUE_LABEL])[:60]}`"
        yield Fault(dotted((*path, "annotations", QUEUE_LABEL)), said, hint, "warning")
    together = [name for name in (REQUIRED, PREFERRED, UNCONSTRAINED) if name in annotations]
    if len(together) > 1:
        said = f"cannot be combined with {together[0].partition('/')[2]}: Kueue's webhook refuses the job"
        yield Fault(dotted((*path, "annotations", together[1])), said, "leave one of them out")
    if (SLICES in annotations) != (SLICE_SIZE in annotations):
        there, lacking = (SLICES, SLICE_SIZE) if SLICES in annotations else (SLICE_SIZE, SLICES)
        said = f"needs {lacking.partition('/')[2]}: Kueue's webhook refuses the job"
        yield Fault(dotted((*path, "annotations", there)), said, f"add {lacking}")
    size = annotations.get(SLICE_SIZE)
    if size is not None and not (str(size).isdecimal() and int(str(size)) > 0):
        said = f"'{str(size)[:40]}' is not a number of pods: Kueue's webhook refuses the job"
        yield Fault(dotted((*path, "annotations", SLICE_SIZE)), said, "write a whole number, 1 or more, in quotes")

"""No folder that Argo CD reads for one Application outgrows what its repo server takes of one.

Facts: Argo CD 3.3.4 and 3.6.1, `reposerver/repository/repository.go`: the sizes of the files are summed, and the
limit is a quantity, 10M unless `reposerver.max.combined.directory.manifests.size` says another one; 0 is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.crds.quantity import amount
from platform_def.manifests.loose import mapping
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedObject

LIMIT = "10M"
SETTINGS, KEY = "argocd-cmd-params-cm", "reposerver.max.combined.directory.manifests.size"
HEAD_BYTES = 100
"""About what the comment takes with which a file begins."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    limit = amount(_limit(context))
    if stack.platform.delivery != "argocd" or not limit:
        return
    folders = defaultdict(list)
    for item in context.own:
        folders[_folder(item)].append(item)
    for folder, items in folders.items():
        size = sum(item.once(_size) for item in items)
        if size > limit:
            text = f"{folder} is {size:,} bytes, and Argo CD reads no more than {int(limit):,} of one folder"
            yield max(items, key=lambda item: len(item.text)), Fault("", text)


def _size(item: RenderedObject) -> int:
    return len(item.text.encode()) + HEAD_BYTES


def _folder(item: RenderedObject) -> str:
    """What one Application reads: a part of a component, a job, or all of the delivery's own objects."""
    below = {JOBS: item.job, DELIVERY: ""}.get(item.component, item.part)
    return f"{item.component}/{below}"


def _limit(context: Context) -> object:
    """As the stack's own Argo CD has it."""
    settings: Iterable[RenderedObject] = context.index.by_kind.get(("", "ConfigMap"), ())
    found = (mapping(item.manifest.get("data")).get(KEY) for item in settings if item.name == SETTINGS)
    return next((each for each in found if each is not None), LIMIT)


SOURCE_SIZE = StackRule(
    id="source-size",
    severity="error",
    title="Every Application fits into the size limit of Argo CD's repo server",
    why="The Application says `exceeded max combined manifest file size`, and nothing of it is ever applied.",
    fix="make several components of it, or raise `reposerver.max.combined.directory.manifests.size` (of the component "
    "argo-cd: `parameters:`); where the Argo CD is not this stack's and has a higher limit, waive this",
    check=_check,
    without_stack="not at all",
)

"""A page that lists training jobs: what Kubeflow's dashboard of TFJobs was, for the kinds and rights of today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import AccessManagement, Identity, WebLink
from platform_def.config.model import Name
from platform_def.config.platform import Platform
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Access,
    Component,
    ComponentConfig,
    ImageFacts,
    Need,
    Offers,
    Problem,
    Release,
    Setting,
    WebApp,
    access_problems,
    allow,
    config_map,
    http_probe,
    need,
    releases,
    restart_on_change,
    web_links,
)
from platform_def.constructs.secrets import PYTHON, UNPRIVILEGED

NAME, PATH, PORT = "training-jobs", "/training-jobs/", 8080
GROUP, LIST = "kubeflow.org", "list"
LINK = WebLink(text="Training jobs", path=PATH, icon="icons:list")
RELEASES = releases(
    # SubjectAccessReviews and kubeflow.org/v1, in every release of Kubernetes that is supported.
    Release("3.13.7", image=PYTHON, kubernetes="1.25-1.37", license="PSF-2.0")
)
FACTS = ImageFacts(runs_as=65534, read_only=True, source="its program writes no file; -B keeps Python from it, too")
KINDS = {
    "TFJob": ("tfjobs", ("v1",)),
    "PyTorchJob": ("pytorchjobs", ("v1",)),
    "MPIJob": ("mpijobs", ("v1", "v2beta1")),
    "XGBoostJob": ("xgboostjobs", ("v1",)),
    "PaddleJob": ("paddlejobs", ("v1",)),
    "JAXJob": ("jaxjobs", ("v1",)),
    "MXJob": ("mxjobs", ("v1",)),
    "ChainerJob": ("chainerjobs", ("v1alpha1",)),
}
"""Kinds that the page knows: their plural, and versions, of which a cluster serves one."""


class TrainingJobsConfig(ComponentConfig):
    """What a stack may choose about the page."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the page's server."""
    access: Access = "people"
    """Who may use it: `people` whom the identity provider knows, who see what they may list; `everyone` who reaches the
    gateway sees all that it reads; `administrators`, likewise, by port-forward alone, without a route."""
    everywhere: bool | None = None
    """Read jobs of all namespaces, not of those of teams alone. By default where people register namespaces of their
    own, and in a stack without teams."""


class TrainingJobs(Component[TrainingJobsConfig]):
    """A small server with the list, and the right to read these jobs and to ask what people may."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[TrainingJobsConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who people are, and whether they make namespaces."""
        return need(Identity, order="any", optional=True), need(AccessManagement, order="any", optional=True)

    @classmethod
    def offers(cls, at: Setting[TrainingJobsConfig]) -> Offers:
        """A link to its page."""
        return Offers(capabilities=web_links(at, at.config.access, LINK))

    @classmethod
    def problems(cls, at: Setting[TrainingJobsConfig]) -> Iterator[Problem]:
        """A page that no one, or everyone, could reach, and one that would always be empty."""
        here = ("components", at.name)
        yield from access_problems(at, at.config.access, "access")
        if not kinds(at.platform):
            text = f"components.{at.name}: nothing in the stack runs jobs that it could list: {', '.join(KINDS)}"
            yield Problem(text, hint="add `training-operator: {}`, or take it out", at=here)
        if at.config.everywhere is False and not at.platform.teams:
            text = f"components.{at.name}.everywhere: the stack has no teams, so there would be no namespace to read"
            yield Problem(text, hint="take it out, or add `teams:`", at=(*here, "everywhere"))

    def build(self) -> None:
        """The program with its plan, and what it may do."""
        homes = namespaces(self.setting)
        plan = {"kinds": kinds(self.platform), "namespaces": homes, "identity": self._identity()}
        files = {"job_list.py": program(), "plan.json": json.dumps(plan, indent=2, sort_keys=True) + "\n"}
        config_map(self, NAME, files)
        app = WebApp(
            self,
            NAME,
            container=self._container(),
            access=self.config.access,
            path=PATH,
            rewrite="/",
            target=PORT,
            rules=self._rules(homes),
            facts=FACTS,
            pod=_pod(),
            pod_annotations=restart_on_change(*files.values()),
        )
        for home in homes or ():
            app.account.allow_in(home, self._reads())

    def _identity(self) -> dict[str, str] | None:
        """How a request says who sent it."""
        if self.config.access != "people":
            return None
        given = self.one(Identity).value
        return {
            "userHeader": given.user_header,
            "userPrefix": given.user_prefix,
            "groupsHeader": given.groups_header,
        }

    def _rules(self, homes: list[str] | None) -> list[PolicyRule]:
        """What it may do everywhere."""
        asks = self.config.access == "people"
        made = [allow("authorization.k8s.io", "subjectaccessreviews", verbs="create")] if asks else []
        if homes is None:
            # Who may not list jobs of the whole cluster is asked about namespace by namespace.
            made += [*self._reads(), *([allow("", "namespaces", verbs=LIST)] if asks else [])]
        return made

    def _reads(self) -> list[PolicyRule]:
        found = sorted(each["plural"] for each in kinds(self.platform))
        return [allow(GROUP, " ".join(found), verbs=LIST)] if found else []

    def _container(self) -> Container:
        account = "/var/run/secrets/kubernetes.io/serviceaccount"
        return {
            "name": NAME,
            "image": self.release.image,
            "command": ["python3", "-B", "-I", "/page/job_list.py", "/page/plan.json", account, str(PORT)],
            "readinessProbe": http_probe("/healthz", "http"),
            "livenessProbe": http_probe("/healthz", "http", delay=10, period=20),
            "resources": {"requests": {"cpu": "10m", "memory": "48Mi"}, "limits": {"memory": "256Mi"}},
            "volumeMounts": [{"name": "page", "mountPath": "/page", "readOnly": True}],
        }


def kinds(platform: Platform) -> list[dict[str, Any]]:
    """Kinds that the stack runs, as the program reads them in its plan."""
    return [
        {"kind": kind, "plural": plural, "versions": [*versions]}
        for kind, (plural, versions) in KINDS.items()
        if platform.serves(f"{kind}.{GROUP}")
    ]


def namespaces(at: Setting[TrainingJobsConfig]) -> list[str] | None:
    """Namespaces of teams and their members; None where jobs of all namespaces are read."""
    everywhere = at.config.everywhere
    if everywhere is None:
        given = at.maybe(AccessManagement)
        everywhere = not at.platform.teams or (given is not None and given.value.registration)
    return None if everywhere else sorted({home for team in at.platform.teams for home in team.homes})


@cache
def program() -> str:
    """The program, as it is delivered."""
    return Path(__file__).with_name("job_list.py").read_text()


def _pod() -> PodSpec:
    return {
        "securityContext": UNPRIVILEGED,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "volumes": [{"name": "page", "configMap": {"name": NAME}}],
    }  # type: ignore[typeddict-item]

"""What `platformctl explain STACK teams.NAME` adds to the value: what the team becomes, and its way to pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from platform_def.capabilities import PipelineServer
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.explain.lines import Lines
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedStack
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.synth import Options, render

Row = dict[str, object]
SDK_HOST = "ml-pipeline.{namespace}.svc.cluster.local"
"""Where `kfp.Client()` looks in a cluster, with the token (sdk/python/kfp/client/client.py of 2.17.0)."""


def explain_team(root: Path, stack: str, team: str | int, *, state: Path) -> Row:
    """What a team makes, by name or by its place in the list; `state` has results of earlier runs."""
    rendered = render(Options(root, (stack,), state / "cache", code_digest(state))).stacks[0]
    teams = rendered.platform.teams
    found = next(each for place, each in enumerate(teams) if team in (place, each.name))
    row: Row = {"makes": Lines(makes(found, rendered))}
    server = rendered.platform.maybe(PipelineServer)
    if server and found.home in server.value.namespaces:
        row["pipelines"] = Lines(client_lines(server.value, found.home))
        row["token"] = token_of(server.value, rendered.platform)
    return row


def makes(team: Team, stack: RenderedStack) -> Iterator[str]:
    """The objects in its namespaces, and those of the cluster that are called as these or as its queue, by kind."""
    found: dict[tuple[str, str], set[str]] = {}
    for item in stack.objects():
        if item.component in (JOBS, DELIVERY):
            continue
        own = item.namespace in team.homes
        if own or (not item.namespace and item.name in {*team.homes, team.queue}):
            found.setdefault(((item.namespace or "") if own else "", item.kind), set()).add(item.name)
    for (namespace, kind), names in sorted(found.items()):
        yield f"{f'{namespace} ' if namespace else ''}{kind}: {', '.join(sorted(names))}"


def client_lines(server: PipelineServer, home: str) -> list[str]:
    """Three lines of Python that start a run from a pod of the team."""
    namespace = server.host.split(".")[1:2]
    if namespace and server.host == SDK_HOST.format(namespace=namespace[0]) and server.port == 8888:
        where = "" if namespace[0] == "kubeflow" else f'namespace="{namespace[0]}"'
    else:
        host = f'host="http://{server.host}:{server.port}"'
        where = f"{host}, credentials=kfp.client.ServiceAccountTokenVolumeCredentials()"
    return [
        "import kfp",
        f"client = kfp.Client({where})",
        f'client.create_run_from_pipeline_package("pipeline.yaml", namespace="{home}")',
    ]


def token_of(server: PipelineServer, platform: Platform) -> str:
    """What a pod needs so that these lines work."""
    token = f"a token for {server.audience} at /var/run/secrets/kubeflow/pipelines/token"
    if platform.serves("PodDefault.kubeflow.org"):
        return f'a pod with the label access-ml-pipeline: "true", which gives it {token}'
    return f"a pod of the account {server.account} with {token}"

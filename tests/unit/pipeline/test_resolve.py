"""Components and jobs of a stack: what is validated, gathered and refused before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.config.accelerators import strange_model
from platform_def.errors import ConfigError
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import Resolved, resolve
from tests.unit.pipeline.repository import synthesise, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'


def resolved(root: Path, text: str) -> Resolved:
    (root / "stacks").mkdir(exist_ok=True)
    (root / "stacks" / "a.yaml").write_text(HEAD + text)
    return resolve(load(root)[0])


def problems(root: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        resolved(root, text)
    return [str(problem) for problem in caught.value.problems]


def test_namespaces_come_with_every_stack(tmp_path: Path) -> None:
    assert list(resolved(tmp_path, "").components) == ["namespaces"]


def test_each_namespace_is_made_once_at_the_highest_level_that_is_needed(tmp_path: Path) -> None:
    found = resolved(
        tmp_path,
        "components: {training-operator: {namespace: ml}, own: {path: own, namespace: ml, podSecurity: privileged}}\n",
    )

    assert [(need.name, need.pod_security) for need in found.platform.namespaces] == [("ml", "privileged")]


def test_an_unknown_component_gets_the_nearest_name(tmp_path: Path) -> None:
    found = problems(tmp_path, "components:\n  trainingoperator: {}\n")

    assert found[0].startswith("error: stacks/a.yaml:4: components.trainingoperator: unknown component")
    assert "did you mean 'training-operator'?" in found[0]


def test_an_unknown_field_of_a_component_gets_file_line_and_hint(tmp_path: Path) -> None:
    found = problems(tmp_path, "components:\n  training-operator:\n    thread: 2\n")

    assert found == [
        "error: stacks/a.yaml:5: components.training-operator.thread: unknown field\n  hint: did you mean 'threads'?"
    ]


@pytest.mark.parametrize(("field", "remedy"), [("replicas: 2", "{replicas: …}"), ("resources: {}", "{resources: …}")])
def test_what_is_said_of_a_workload_is_shown_its_place(tmp_path: Path, field: str, remedy: str) -> None:
    (found,) = problems(tmp_path, f"components: {{training-operator: {{{field}}}}}\n")

    assert "write `workloads: {<workload>: " in found
    assert remedy in found


def test_an_unknown_release_lists_the_known_ones(tmp_path: Path) -> None:
    found = problems(tmp_path, 'components: {training-operator: {release: "2.0"}}\n')

    assert "release '2.0' is not known; known: 1.9.4, 1.7.0" in found[0]


def test_a_provided_component_renders_nothing_and_its_apis_count(tmp_path: Path) -> None:
    found = resolved(tmp_path, 'components: {training-operator: {provided: "1.9"}}\n')

    assert "training-operator" not in found.components
    assert found.platform.serves("PyTorchJob.kubeflow.org")
    assert found.platform.components["training-operator"].provided


JOB = "jobs:\n  - {template: pytorch-ddp, name: j, image: 'r.example.com/i:1', command: [t.py], %s}\n"
POOL = "components: {training-operator: {}, nvidia-device-plugin: {}}\nnodePools: [{name: p, nodes: 2, gpu: {model: a100, perNode: 8}}]\n"
SHARED = (
    "components: {training-operator: {}, nvidia-device-plugin: {}}\n"
    "nodePools: [{name: p, nodes: 2, gpu: {model: t4, perNode: 4, sharing: {mode: time-slicing, replicas: 4}}}]\n"
)


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        (JOB % "pool: p", "pool 'p' is not in nodePools"),
        (JOB % "team: t", "team 't' is not in teams"),
        (JOB % "workers: 1", "serves no PyTorchJob.kubeflow.org"),
        (POOL + JOB % "pool: p, gpusPerWorker: 16", "offers 8, not 16"),
        (POOL + JOB % "pool: p, gpusPerWorker: 8, workers: 3", "pool p has 16"),
        (POOL + JOB % "pool: p, rdma: true", "has no RDMA fabric"),
        (SHARED + JOB % "pool: p, gpusPerWorker: 2", "may be slices of one card"),
        ("teams: [{name: t, quota: {gpus: 4}}]\n" + POOL + JOB % "team: t, pool: p, gpusPerWorker: 8", "quota of 4"),
    ],
)
def test_an_impossible_job_is_refused_with_the_reason(tmp_path: Path, stack: str, words: str) -> None:
    assert any(words in text for text in problems(tmp_path, stack))


def test_a_job_for_what_nothing_offers_is_refused_with_the_component_to_add(tmp_path: Path) -> None:
    found = problems(tmp_path, POOL.replace(", nvidia-device-plugin: {}", "") + JOB % "pool: p")

    assert "nothing in the stack offers nvidia.com/gpu" in found[0]
    assert "`nvidia-device-plugin: {}`" in found[0]
    assert "under components, or `{provided: true}` where the cluster has it" in found[0]


def test_a_provided_device_plugin_offers_as_well(tmp_path: Path) -> None:
    found = resolved(tmp_path, POOL.replace("device-plugin: {}", "device-plugin: {provided: true}") + JOB % "pool: p")

    assert list(found.jobs) == ["j"]


@pytest.mark.parametrize(
    "text",
    [
        "components: {training-operator: {proxy: {https: 'http://bob:word@proxy.example.com'}}}\n",
        "delivery: {engine: argocd, repository: 'https://bob:word@git.example.com/x.git'}\n",
    ],
)
def test_credentials_in_addresses_are_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    found = problems(tmp_path, text)

    assert "credentials" in found[0]
    assert "word" not in "".join(found)


def test_a_gateway_that_is_not_rendered_yet_is_said_so(tmp_path: Path) -> None:
    assert "gateway: istio cannot be rendered yet" in problems(tmp_path, "gateway: istio\n")[0]


@pytest.mark.parametrize(
    ("name", "beside", "hint"),
    [
        ("gateway-api", "", "`gateway: istio-ingress-gateway`, and `istio-ingress-gateway: {api: gateway-api}`"),
        ("istio", "", "`gateway: istio-ingress-gateway`, and `istio-ingress-gateway: {}`"),
        ("lws", "", "choose emissary, istio-ingress-gateway, a component of yours that provides one, or none"),
        ("lws", ", emissary: {}", "one that does: emissary"),
    ],
)
def test_a_component_that_serves_no_routes_is_refused_with_one_that_does(
    tmp_path: Path, name: str, beside: str, hint: str
) -> None:
    """Gateway API and Istio do not serve routes themselves: a hint to have none would help no one."""
    text = f"gateway: {name}\ncomponents: {{{name}: {{}}{beside}, kserve: {{}}, cert-manager: {{}}}}\n"
    (found,) = problems(tmp_path, text)

    assert f"gateway: the component {name} serves no routes" in found
    assert hint in found


@pytest.mark.parametrize("address", ["banana", "10.0.0.9-10.0.0.2", "10.0.0.0/33"])
def test_addresses_must_be_ranges_or_networks(tmp_path: Path, address: str) -> None:
    assert "ingress" in problems(tmp_path, f"ingress: {{kind: metallb, addresses: ['{address}']}}\n")[0]


def test_a_ttl_is_no_parameter_of_a_job(tmp_path: Path) -> None:
    found = problems(tmp_path, POOL + JOB % "ttlSecondsAfterFinished: 60")

    assert "ttlSecondsAfterFinished: unknown field" in found[0]


def test_kinds_must_be_the_releases(tmp_path: Path) -> None:
    assert "does not serve MXJob" in problems(tmp_path, "components: {training-operator: {kinds: [MXJob]}}\n")[0]


def test_mxjob_needs_release_1_7(tmp_path: Path) -> None:
    found = resolved(tmp_path, 'components: {training-operator: {release: "1.7.0"}}\n')

    assert found.platform.serves("MXJob.kubeflow.org")
    assert not found.platform.serves("JAXJob.kubeflow.org")


def test_what_is_wrong_with_the_cluster_hides_nothing_of_the_components(tmp_path: Path) -> None:
    text = "availability: high\ncomponents: {training-operator: {replica: 2}}\njobs: [{template: nothing}]\n"
    write(tmp_path, {"stacks/a.yaml": HEAD + text, "stacks/b.yaml": HEAD + "components: {ambassador: {}}\n"})

    with pytest.raises(ConfigError) as caught:
        synthesise(tmp_path)

    found = " ".join(problem.text for problem in caught.value.problems)
    assert all(word in found for word in ("availability", "replica", "nothing", "ambassador"))


def test_a_job_keeps_its_name_from_the_file_to_the_cluster(tmp_path: Path) -> None:
    """Also where it is built from data: what was left out stays left out, what was written counts."""
    head = HEAD.replace("}", ", registry: %s}")
    parts = "components: {training-operator: {}}\n" + JOB
    names = []
    for registry, said in (
        ("a.example.com", "sync: false"),
        ("b.example.com", "sync: true"),
        ("a.example.com", "workers: 1"),
    ):
        write(tmp_path, {"stacks/a.yaml": head % registry + parts % f"{said}, gpusPerWorker: 0"})
        (job,) = synthesise(tmp_path).stacks[0].jobs["j"]
        names.append(job.name)

    assert names[0] == names[1] != names[2]


TWO_TEAMS = POOL.replace("nodes: 2", "nodes: 4") + "teams: [{name: t, quota: {gpus: 16}}, {name: u}]\njobs:\n"


def _of_16(name: str, team: str, said: str = "sync: true") -> str:
    what = "template: pytorch-ddp, image: 'r.example.com/i:1', command: [t.py], pool: p, workers: 2, gpusPerWorker: 8"
    return f"  - {{name: {name}, team: {team}, {what}, {said}}}\n"


def test_jobs_that_start_together_are_counted_together_against_quota_and_pool(tmp_path: Path) -> None:
    found = problems(tmp_path, TWO_TEAMS + _of_16("a", "t") + _of_16("b", "t") + _of_16("c", "t"))

    told = "error: stacks/a.yaml:9: jobs a, b and c start together and need 48 nvidia.com/gpu, and"
    wait = "\n  hint: write `sync: false` for those that have ended or are to wait, or"
    assert found == [
        f"{told} pool p has 32 nvidia.com/gpu{wait} add nodes",
        f"{told} team t has a quota of 16 nvidia.com/gpu{wait} raise the quota of team t",
    ]


@pytest.mark.parametrize(
    "jobs",
    [
        _of_16("a", "t") + _of_16("b", "u"),
        _of_16("a", "t") + _of_16("b", "u") + _of_16("c", "u", "sync: false"),
        _of_16("a", "t", "sync: false") + _of_16("b", "t", "sync: false") + _of_16("c", "t"),
    ],
    ids=["a quota and a pool that are just enough", "a job that waits", "two of the team that wait"],
)
def test_jobs_that_fit_together_or_wait_are_not_refused(tmp_path: Path, jobs: str) -> None:
    assert resolved(tmp_path, TWO_TEAMS + jobs).jobs


def test_a_job_that_does_not_fit_alone_is_told_once(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, TWO_TEAMS.replace("gpus: 16", "gpus: 8") + _of_16("a", "t") + _of_16("b", "u"))

    assert "needs 16 whole GPUs, team t has a quota of 8" in found


@pytest.mark.parametrize(
    ("gpus", "told"), [(16, []), (17, ["team t has a quota of 17 whole GPUs, and the node pools have 16"])]
)
def test_a_quota_above_what_the_cluster_has_is_a_warning(tmp_path: Path, gpus: int, told: list[str]) -> None:
    write(tmp_path, {"stacks/a.yaml": HEAD + POOL + f"teams: [{{name: t, quota: {{gpus: {gpus}}}}}]\n"})
    found = [each for each in synthesise(tmp_path).findings["a"] if each.rule == "quota-size"]

    assert [each.text for each in found] == told
    assert all(each.severity == "warning" for each in found)


@pytest.mark.parametrize(
    ("team", "words"),
    [
        ("queue: long", "teams[0].queue: nothing in the stack queues jobs"),
        ("members: [{name: ada@example.com}]", "teams[0].members: nothing in the stack gives members of teams"),
        ("namespace: kube-system", "teams[0].namespace: kube-system belongs to Kubernetes itself"),
        ("namespace: kubeflow", "teams[0].namespace: kubeflow belongs to the component training-operator"),
    ],
)
def test_what_a_team_says_in_vain_or_of_others_is_refused(tmp_path: Path, team: str, words: str) -> None:
    (found,) = problems(tmp_path, f"components: {{training-operator: {{}}}}\nteams:\n  - name: t\n    {team}\n")

    assert found.startswith(f"error: stacks/a.yaml:6: {words}")
    assert "hint: " in found


def test_a_team_may_share_its_namespace_with_a_folder_of_its_own(tmp_path: Path) -> None:
    assert resolved(tmp_path, "components: {own: {path: own, namespace: ml}}\nteams: [{name: t, namespace: ml}]\n")


@pytest.mark.parametrize("path", ["../../x", "dist/..", "./dist"])
def test_a_delivery_path_stays_inside_the_repository(tmp_path: Path, path: str) -> None:
    (found,) = problems(tmp_path, f"delivery: {{path: {path}}}\n")

    assert found.startswith("error: stacks/a.yaml:3: delivery.path")
    assert "from the root of the repository" in found


def test_an_unknown_card_gets_the_nearest_and_a_way_out(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, POOL.replace("model: a100", "model: a1000-80gb"))

    assert "nodePools[0].gpu.model: no card of NVIDIA's that this tool knows is called a1000-80gb" in found
    assert "did you mean 'a100'?" in found
    assert resolved(tmp_path, POOL.replace("model: a100", "model: z1000, memoryGib: 512"))


@pytest.mark.parametrize("model", ["a100-40gb", "h100-94gb", "a100-sxm4-80gb", "l40s", "rtx-pro-6000", "k80", "gb200"])
def test_cards_are_known_with_memory_and_form(model: str) -> None:
    assert strange_model(model) is None


def test_a_folder_that_is_called_like_a_stack_is_said(tmp_path: Path) -> None:
    (tmp_path / "stacks" / "t.yaml").mkdir(parents=True)

    (found,) = problems(tmp_path, "")

    assert found.startswith("error: stacks/t.yaml: is a folder, and a stack is a file")


CUT = (
    "components: {nvidia-device-plugin: {}%s}\n"
    "nodePools: [{name: p, selector: {pool: p}, gpu: {model: a100-80gb, perNode: 8, mig: {layout: {1g.10gb: 7}}}}]\n"
)


@pytest.mark.parametrize(
    ("stack", "warnings"),
    [
        (CUT % "", 1),
        (CUT % ", mig-manager: {}, node-feature-discovery: {}", 0),
        (CUT % ", mig-manager: {provided: true}", 0),
        (CUT % "" + "external: {nodeWork: {work: partitions}}\n", 0),
    ],
    ids=["nobody", "mig-manager", "the cluster's", "the owner of the nodes"],
)
def test_a_mig_layout_that_nobody_cuts_is_a_warning_with_both_ways(tmp_path: Path, stack: str, warnings: int) -> None:
    write(tmp_path, {"stacks/a.yaml": HEAD + stack})
    found = [each for each in synthesise(tmp_path).findings["a"] if each.rule == "mig-cut"]

    assert len(found) == warnings
    for each in found:
        assert each.severity == "warning"
        assert "pool p" in each.text
        assert "mig-manager" in each.hint
        assert "external" in each.hint

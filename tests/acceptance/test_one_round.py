"""What is wrong in places that do not depend on each other is told by one run, not by one run after the other."""

from __future__ import annotations

from tests.acceptance.repository import HEAD, SMALL, Repository

JOBS = """\
jobs:
  - {name: one, template: gpu-job, image: "r.example.com/a:1", command: [a], team: nobody, pool: none}
"""


def told(repository: Repository, files: dict[str, str], *words: str) -> list[str]:
    """The errors of one run, each with its place and text."""
    said = repository.write(files).ask(*(words or ("synth",)), code=2).err
    return [line.removeprefix("error: ") for line in said.splitlines() if line.startswith("error: ")]


def begins(lines: list[str], *starts: str) -> bool:
    """Whether a line begins with each of these, and no other line is there."""
    assert len(lines) == len(starts), "\n".join(lines)
    return all(any(line.startswith(start) for line in lines) for start in starts)


def test_a_stack_that_cannot_be_read_hides_nothing_of_another(repository: Repository) -> None:
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}colour: blue\n",
            "stacks/b.yaml": f"{HEAD}components: {{katib: {{certificates: katib, ui: {{access: administrators}}}}}}\n",
        },
    )

    needs = "stacks/b.yaml:3: components.katib: needs a SQL database"
    assert begins(lines, "stacks/a.yaml:3: colour: unknown field", needs)


def test_a_component_that_is_written_wrong_hides_no_name_release_or_overlay(repository: Repository) -> None:
    head = HEAD.replace("1.36", "1.28")
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{head}components: {{cert-manager: {{}}, training-operator: {{replica: 2}}}}\n{JOBS}",
            "overlays/a/training-operatr/kustomization.yaml": "apiVersion: v1\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:3: components.training-operator.replica: unknown field",
        "stacks/a.yaml:3: components.cert-manager: release 1.21.2 works with Kubernetes",
        "stacks/a.yaml:5: jobs[0] (one): team 'nobody' is not in teams",
        "stacks/a.yaml:5: jobs[0] (one): pool 'none' is not in nodePools",
        "overlays/a/training-operatr: overlay for a component 'training-operatr' that stack a does not have",
    )


def test_what_nobody_gives_hides_no_release_and_no_name(repository: Repository) -> None:
    katib = "katib: {certificates: katib, ui: {access: administrators}}"
    head = HEAD.replace("1.36", "1.28")
    lines = told(repository, {"stacks/a.yaml": f"{head}components: {{cert-manager: {{}}, {katib}}}\n{JOBS}"})

    assert {line.split(": ", 2)[1] for line in lines} == {
        "components.cert-manager",
        "components.katib",
        "jobs[0] (one)",
    }
    assert any("needs a SQL database" in line for line in lines)


def test_every_build_that_fails_is_named(repository: Repository) -> None:
    knob = "%s: {workloads: {%s: {replicas: 2}}}"
    both = ", ".join([knob % ("cert-manager", "cert-managr"), knob % ("training-operator", "operatr")])
    lines = told(repository, {"stacks/a.yaml": f"{HEAD}components: {{{both}}}\n", "stacks/b.yaml": SMALL})

    assert {line.split(": ", 2)[1] for line in lines} == {
        "components.cert-manager.workloads.cert-managr",
        "components.training-operator.workloads.operatr",
    }


def test_builds_folders_and_findings_are_told_beside_a_stack_that_is_written_wrong(repository: Repository) -> None:
    knob = "cert-manager: {workloads: {cert-managr: {replicas: 2}}}"
    token = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {url: 'postgres://bob:word@db.example.com/app'}\n"
    )
    repository.write(
        {
            "stacks/a.yaml": f"{HEAD}colour: blue\n",
            "stacks/b.yaml": f"{HEAD}components: {{{knob}, none: {{path: apps/none, namespace: none}}}}\n",
            "stacks/c.yaml": f"{HEAD}components: {{own: {{path: apps/own, namespace: own}}}}\n",
            "apps/own/x.yaml": token,
        }
    )
    said = repository.ask("synth", code=2).err

    assert "error: stacks/a.yaml:3: colour: unknown field" in said
    assert "error: stacks/b.yaml:3: components.cert-manager.workloads.cert-managr" in said
    assert "error: stacks/b.yaml:3: components.none: the folder apps/none is not there" in said
    assert "error: apps/own/x.yaml:4: data.url: holds what looks like" in said
    assert repository.files() == {}


def test_what_no_stack_names_any_more_is_told_beside_what_checks_find(repository: Repository) -> None:
    two = f"{HEAD}components: {{training-operator: {{}}, cert-manager: {{}}}}\n"
    repository.write({"stacks/a.yaml": two}).ask("synth")
    token = "url: postgres://bob:word@db.example.com/app"
    own = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\ndata: {{{token}}}\n"
    stack = f"{HEAD}components: {{training-operator: {{}}, own: {{path: apps/own, namespace: own}}}}\n"
    said = repository.write({"stacks/a.yaml": stack, "apps/own/x.yaml": own}).ask("synth", code=1).err

    assert "[credential-shape]" in said
    assert "stacks/a.yaml:3: component 'cert-manager' is in dist/a, and the stack no longer names it" in said


OF_EACH_KIND = f"""\
{HEAD}colour: blue
teams: [{{name: vision, quota: {{gpus: 8}}}}]
components:
  cert-manager: {{workloads: {{cert-managr: {{replicas: 2}}}}}}
  training-operator: {{thread: 2, workloads: {{operatr: {{replicas: 2}}}}}}
  keda: {{}}
  katib: {{certificates: katib, ui: {{access: administrators}}}}
  none: {{path: apps/none, namespace: none}}
  own: {{path: apps/own, namespace: own}}
  secret: {{path: apps/secret, namespace: own}}
jobs:
  - {{name: one, template: gpu-job, image: "r.example.com/a:1", command: [a], team: nobody, gpusPerWorker: 0}}
  - {{name: two, template: gpu-job, image: "r.example.com/a:1", command: [a], team: vision, gpusPerWorker: 0}}
"""


SOUND = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


def overlay(*patches: str) -> str:
    """An overlay with these patches."""
    head = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n"
    return head + "".join(f"  - {each}\n" for each in patches)


def test_one_of_each_kind_in_one_stack_is_told_by_one_run(repository: Repository) -> None:
    none = "{target: {kind: Deployment, name: kedda}, patch: '[{op: remove, path: /spec}]'}"
    lines = told(
        repository,
        {
            "stacks/a.yaml": OF_EACH_KIND,
            "apps/own/x.yaml": f"# ours\n{SOUND}---\n\napiVersion: v1\nkind: ConfigMap\n",
            "apps/secret/x.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: b}\n",
            "overlays/a/keda/kustomization.yaml": overlay(none),
            "overlays/a/cert-manager/kustomization.yaml": f"{overlay(none)}namePrefix: x-\n",
            "overlays/a/katib/kustomization.yaml": f"{overlay(none)}helmCharts: []\n",
            "overlays/a/_jobs/one/kustomization.yaml": f"{overlay(none)}vars: []\n",
            "overlays/a/_jobs/two/kustomization.yaml": overlay(none),
        },
    )

    assert begins(
        lines,
        "apps/own/x.yaml:7: ConfigMap has no metadata.name",
        "apps/secret/x.yaml:1: Secret x holds its content",
        "overlays/a/_jobs/one/kustomization.yaml:5: ",
        "overlays/a/_jobs/two/kustomization.yaml:4: the patch matches no object of job two",
        "overlays/a/cert-manager/kustomization.yaml:5: ",
        "overlays/a/katib/kustomization.yaml:5: ",
        "overlays/a/keda/kustomization.yaml:4: the patch matches no object of keda",
        "stacks/a.yaml:3: colour: unknown field",
        "stacks/a.yaml:6: components.cert-manager.workloads.cert-managr: there is no such workload",
        "stacks/a.yaml:7: components.training-operator.thread: unknown field",
        "stacks/a.yaml:9: components.katib: needs a SQL database",
        "stacks/a.yaml:10: components.none: the folder apps/none is not there",
        "stacks/a.yaml:14: jobs[0] (one): team 'nobody' is not in teams",
    )


def test_what_builds_conclude_from_another_error_is_not_told(repository: Repository) -> None:
    volume = "mysql: {workloads: {mysql: {volumes: {data: {storage: shared}}}}}"
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}gateway: emissary\n"
            "ingress: {kind: cloud, host: ml.example.com}\nstorage: {shared: {driver: nfs, server: nfs.example.com}}\n"
            f"components:\n  {volume}\n  argo-workflows: {{ui: {{access: administrators}}}}\n"
            "  dex: {}\n  oauth2-proxy: {}\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:3: gateway: emissary is not among the components",
        "stacks/a.yaml:5: storage.shared.share: is missing",
    )


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: page}
spec:
  replcas: 1
  selector: {matchLabels: {app: page}}
  template:
    metadata: {labels: {app: page}}
    spec: {containers: [{name: page, image: registry.example.com/page:1}]}
"""


def test_objects_are_judged_in_the_round_in_which_a_configuration_is_refused(repository: Repository) -> None:
    own = "own: {path: apps/own, namespace: own}"
    repository.write(
        {
            "stacks/a.yaml": f"{HEAD}components: {{training-operator: {{threds: 2}}, {own}}}\n",
            "apps/own/x.yaml": DEPLOYMENT,
        }
    )
    said = repository.ask("synth", code=2).err

    assert "error: stacks/a.yaml:3: components.training-operator.threds: unknown field" in said
    assert "error: apps/own/x.yaml:5: spec.replcas: unknown field" in said
    assert "did you mean 'replicas'?" in said
    assert repository.files() == {}


def test_a_wrong_team_hides_no_pools_and_a_wrong_pool_no_teams(repository: Repository) -> None:
    pools = "nodePools: [{name: p, nodes: 1, selector: {a: b}}, {name: p, nodes: 1, selector: {a: c}}]"
    teams = "teams: [{name: t}, {name: t}]"
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}{pools}\nteams: [{{name: t, members: [{{name: li, role: edits}}]}}]\n",
            "stacks/b.yaml": f"{HEAD}{teams}\nnodePools: [{{name: p, nodes: none, selector: {{a: b}}}}]\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:3: nodePools[1]: two node pools are called 'p'",
        "stacks/a.yaml:4: teams[0].members[0].role: one of view, edit or admin is wanted",
        "stacks/b.yaml:3: teams[1]: two teams are called 't'",
        "stacks/b.yaml:4: nodePools[0].nodes: ",
    )


JOB = 'template: gpu-job, image: "r.example.com/a:1", command: [a]'


def pool(name: str, more: str = "gpu: {model: h100-80gb, perNode: 8}") -> str:
    """A pool of two nodes."""
    return f"  - {{name: {name}, nodes: 2, selector: {{pool: {name}}}, {more}}}\n"


def test_a_wrong_team_and_a_wrong_pool_hide_nothing_of_the_others(repository: Repository) -> None:
    cut = "gpu: {model: a100-80gb, perNode: 8, mig: {strategy: single, layout: {1g.10gb: 3, 2g.20gb: 2}}}"
    impossible = "gpu: {model: a100-80gb, perNode: 8, mig: {strategy: mixed, layout: {7g.80gb: 2}}}"
    both = "gpu: {model: t4, perNode: 4}, accelerator: {resource: google.com/tpu, perNode: 4}"
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}teams:\n"
            "  - {name: alpha, members: [{name: li, role: edits}], quota: {gpus: 12}}\n"
            "  - {name: beta}\n"
            f"nodePools:\n{pool('cut', cut)}{pool('impossible', impossible)}{pool('both', both)}{pool('sound')}"
            "components: {nvidia-device-plugin: {}, mig-manager: {}, kubeflow-roles: {}}\n"
            "jobs:\n"
            f"  - {{name: one, {JOB}, team: beta, pool: sound, gpusPerWorker: 9}}\n"
            f"  - {{name: two, {JOB}, team: alpha, pool: sound, gpusPerWorker: 7, workers: 2}}\n"
            f"  - {{name: three, {JOB}, team: alpha, pool: cut, gpusPerWorker: 12}}\n"
            f"  - {{name: four, {JOB}, team: alpha, pool: both, gpusPerWorker: 12}}\n"
            f"  - {{name: five, {JOB}, team: alfa, pool: soud}}\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:4: teams[0].members[0].role: one of view, edit or admin is wanted",
        "stacks/a.yaml:7: nodePools[0].gpu.mig: strategy 'single' wants one profile",
        "stacks/a.yaml:8: nodePools: pool impossible: ",
        "stacks/a.yaml:9: nodePools[2]: a pool has either `gpu:`",
        "stacks/a.yaml:13: jobs[0] (one): a node of pool sound offers 8, not 9",
        "stacks/a.yaml:14: jobs[1] (two): ",
        "stacks/a.yaml:17: jobs[4] (five): pool 'soud' is not in nodePools",
        "stacks/a.yaml:17: jobs[4] (five): team 'alfa' is not in teams",
    )
    assert any("jobs[1] (two): " in line and "12" in line for line in lines)


def test_mistakes_all_over_a_stack_are_told_by_one_run(repository: Repository) -> None:
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}availability: hi\n"
            "gateway: emissary\n"
            "ingress: {kind: cloud, host: ML_example, httpPort: 80}\n"
            "storage:\n"
            "  shared: {driver: nfs, server: nfs.example.com}\n"
            "  fast: {driver: local-path, path: /x, colour: red}\n"
            "storageKinds: {shared: shard}\n"
            "teams:\n"
            "  - {name: alpha, quota: {gpus: many}}\n"
            "  - {name: gamma, quota: {gpus: {bgi: 4}}, namespace: kube-system, "
            "datasets: {d: {storage: sharde, size: 2Ti}}}\n"
            f"nodePools:\n{pool('few', 'gbps: some')}{pool('big')}{pool('old', 'gpu: {model: t44, perNode: 4}')}"
            "components:\n  kueue: 3\n  cert-manager: {release: 9.9.9}\n"
            "jobs:\n  - one\n"
            f"  - {{name: two, {JOB}, team: gamma, pool: big, gpusPerWorker: 9}}\n"
            f"  - {{name: three, {JOB}, team: gamma, pool: bigg, output: {{storage: shred}}}}\n"
            "serving: [{name: m, template: serve, model: 'hf://a/b', image: 'r.example.com/a:1', team: gama}]\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:3: availability: one of standard or ha is wanted",
        "stacks/a.yaml:4: gateway: emissary is not among the components",
        "stacks/a.yaml:5: ingress.host: ",
        "stacks/a.yaml:5: ingress: httpPort are ports of the nodes: kind is 'cloud'",
        "stacks/a.yaml:7: storage.shared.share: is missing",
        "stacks/a.yaml:8: storage.fast.colour: unknown field",
        "stacks/a.yaml:8: storage.fast: nothing in the stack makes its volumes",
        "stacks/a.yaml:9: storageKinds.shared: storage 'shard' is not in the stack; did you mean 'shared'?",
        "stacks/a.yaml:11: teams[0].quota.gpus: a whole number is wanted",
        "stacks/a.yaml:12: team gamma: datasets.d: storage 'sharde' is not in the stack",
        "stacks/a.yaml:12: teams[1].namespace: kube-system belongs to Kubernetes itself",
        "stacks/a.yaml:12: teams[1].quota.gpus: pool 'bgi' is not in nodePools",
        "stacks/a.yaml:14: nodePools[0].gbps: a whole number is wanted, not 'some'",
        "stacks/a.yaml:16: nodePools[2].gpu.model: no card of NVIDIA's that this tool knows is called t44",
        "stacks/a.yaml:18: components.kueue: a map is wanted, not 3",
        "stacks/a.yaml:19: components.cert-manager: release '9.9.9' is not known",
        "stacks/a.yaml:21: jobs[0]: a map is wanted, not 'one'",
        "stacks/a.yaml:22: jobs[1] (two): a node of pool big offers 8, not 9",
        "stacks/a.yaml:22: jobs[1] (two): nothing in the stack offers nvidia.com/gpu",
        "stacks/a.yaml:23: jobs[2] (three): pool 'bigg' is not in nodePools",
        "stacks/a.yaml:23: jobs[2] (three): storage 'shred' is not in the stack",
        "stacks/a.yaml:24: serving[0] (m): team 'gama' is not in teams",
        "stacks/a.yaml:24: serving[0] (m): the stack serves no InferenceService",
    )


def test_an_item_that_may_be_called_anything_hides_only_names_that_are_not_found(repository: Repository) -> None:
    lines = told(
        repository,
        {
            "stacks/a.yaml": f"{HEAD}"
            f"nodePools:\n{pool('Big')}{pool('twin')}{pool('twin', 'gpu: {model: t4, perNode: 4}')}{pool('sound')}"
            "teams: [3, {name: beta}]\n"
            "components: {nvidia-device-plugin: {}}\n"
            "jobs:\n"
            f"  - {{name: one, {JOB}, team: beta, pool: sound, gpusPerWorker: 9}}\n"
            f"  - {{name: two, {JOB}, team: alpha, pool: big}}\n"
            f"  - {{name: three, {JOB}, team: beta, pool: twin, gpusPerWorker: 9}}\n",
        },
    )

    assert begins(
        lines,
        "stacks/a.yaml:4: nodePools[0].name: 'Big' is not a name",
        "stacks/a.yaml:6: nodePools[2]: two node pools are called 'twin'",
        "stacks/a.yaml:8: teams[0]: a map is wanted, not 3",
        "stacks/a.yaml:11: jobs[0] (one): a node of pool sound offers 8, not 9",
    )


def test_a_build_of_an_earlier_run_says_nothing_of_a_pool_that_is_wrong_now(repository: Repository) -> None:
    """The result was kept for a pool without a word of memory, which the wrong word may change."""
    stack = f"{HEAD}components: {{nvidia-device-plugin: {{}}}}\nnodePools:\n"
    repository.write({"stacks/a.yaml": stack + pool("p", "gpu: {model: t4, perNode: 4}")}).ask("synth")
    none = "{target: {kind: Deployment, name: kedda}, patch: '[{op: remove, path: /spec}]'}"
    lines = told(
        repository,
        {
            "stacks/a.yaml": stack + pool("p", "gpu: {model: t4, perNode: 4, memoryGib: x}"),
            "overlays/a/nvidia-device-plugin/kustomization.yaml": overlay(none),
        },
    )

    assert begins(lines, "stacks/a.yaml:5: nodePools[0].gpu.memoryGib: a whole number is wanted")

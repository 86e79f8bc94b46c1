"""Jobs as people publish them, said in the words of a stack: their pods have everything, and nothing is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.jobs.limits import TENSORBOARD
from tests.cluster.stacks import rendered_stack
from tests.unit.jobs.platforms import PLATFORM, container, job, objects, pod, problems, variables

EFA = {"kind": "efa", "devices": 32}
ROCE = {"kind": "roce", "interface": "ens1f0np0"}
SSH = {"mpi-operator": ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")}


def platform(rdma: object) -> Platform:
    gpu = {"model": "h100-80gb", "perNode": 8}
    pool = NodePool.from_file({"name": "train", "nodes": 17, "selector": {"pool": "train"}, "gpu": gpu, "rdma": rdma})
    network = {"ingressFrom": ["10.0.0.0/16"]}
    team = Team.from_file({"name": "vision", "podSecurity": "privileged", "network": network})
    apis = PLATFORM.apis | {TENSORBOARD}
    return PLATFORM.with_facts(node_pools=(pool,), teams=(team,), components=SSH, apis=apis)


def made(template: str, fabric: object = "infiniband", **said: Any) -> dict[str, Any]:
    """The job, which nothing is wrong with."""
    whole: dict[str, Any] = {"team": "vision", "pool": "train", **said}
    assert problems(template, platform(fabric), **whole) == []
    return job(template, platform(fabric), **whole)


def test_sharded_training_on_efa_between_bounds_with_a_scratch_disk_and_keys() -> None:
    found = made(
        "pytorch-ddp",
        EFA,
        command=["train.py"],
        workers=2,
        gpusPerWorker=8,
        rdma=True,
        resources={"hugepages-2Mi": "5120Mi"},
        env={
            "HF_TOKEN": {"secret": "hub", "key": "token"},
            "WANDB_API_KEY": {"secret": "wandb", "key": "key"},
            "FI_LOG_LEVEL": "warn",
        },
        volumes={"scratch": {"hostPath": "/mnt/nvme"}, "shared": {"claim": "checkpoints"}},
        checkpoints="/shared/run",
        pullPolicy="IfNotPresent",
        elastic={"least": 2, "most": 8, "scaling": {"metric": "DCGM_FI_DEV_GPU_UTIL", "average": "80"}},
    )
    worker = container(found, "Worker")

    assert worker["command"] == ["torchrun"]
    assert worker["imagePullPolicy"] == "IfNotPresent"
    limits = worker["resources"]["limits"]
    assert (limits["vpc.amazonaws.com/efa"], limits["nvidia.com/gpu"], limits["hugepages-2Mi"]) == ("32", "8", "5120Mi")
    said = variables(worker)
    assert said["FI_PROVIDER"] == "efa"
    assert said["HF_TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert said["WANDB_API_KEY"] == {"secretKeyRef": {"name": "wandb", "key": "key"}}
    volumes = {each["name"]: each for each in pod(found, "Worker")["volumes"]}
    assert volumes["scratch"]["hostPath"]["path"] == "/mnt/nvme"
    assert volumes["shared"]["persistentVolumeClaim"]["claimName"] == "checkpoints"
    policy = found["spec"]["elasticPolicy"]
    assert (policy["minReplicas"], policy["maxReplicas"], len(policy["metrics"])) == (2, 8, 1)


def test_a_benchmark_of_the_fabric_by_mpirun_with_its_own_words() -> None:
    found = made(
        "mpi",
        ROCE,
        command=["/opt/nccl-tests/build/all_reduce_perf", "-b", "8M", "-e", "8G", "-f", "2"],
        mpirun="/opt/amazon/openmpi/bin/mpirun",
        mpiArgs=["-N", "8", "--map-by", "slot", "--tag-output", "-x", "NCCL_DEBUG=INFO"],
        env={"NCCL_BUFFSIZE": "8388608"},
        workers=16,
        gpusPerWorker=8,
        rdma=True,
    )
    launcher, worker = (container(found, role) for role in ("Launcher", "Worker"))
    words = launcher["args"]

    assert words[:3] == ["/opt/amazon/openmpi/bin/mpirun", "-np", "128"]
    own = words.index("-N")
    assert words[own:][:7] == ["-N", "8", "--map-by", "slot", "--tag-output", "-x", "NCCL_DEBUG=INFO"]
    assert words[own + 7 :] == ["/opt/nccl-tests/build/all_reduce_perf", "-b", "8M", "-e", "8G", "-f", "2"]
    assert "NCCL_BUFFSIZE" in words
    assert not {"nvidia.com/gpu", "rdma/hca_shared"} & {*launcher["resources"]["limits"]}
    assert worker["resources"]["limits"]["rdma/hca_shared"] == "1"
    assert worker["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_a_tfjob_with_a_chief_workers_and_servers_by_the_images_own_entrypoint() -> None:
    said: dict[str, Any] = {
        "args": ["--epochs", "90"],
        "strategy": "parameter-server",
        "workers": 4,
        "servers": 2,
        "retries": 0,
        "output": {"claim": "logs"},
        "tensorboard": "/output/logs",
    }
    found = made("tensorflow", **said)
    roles = found["spec"]["tfReplicaSpecs"]

    assert {role: spec["replicas"] for role, spec in roles.items()} == {"Chief": 1, "PS": 2, "Worker": 4}
    assert {spec["restartPolicy"] for spec in roles.values()} == {"Never"}
    for role in roles:
        assert "command" not in container(found, role)
        assert container(found, role)["args"] == ["--epochs", "90"]
        gpus = container(found, role)["resources"]["limits"].get("nvidia.com/gpu")
        assert gpus == ("1" if role == "Worker" else None)
    kinds = {each["kind"] for each in objects("tensorflow", platform("none"), team="vision", **said)}
    assert kinds == {"TFJob", "Tensorboard"}


def test_a_script_around_torchrun_on_the_nodes_network_with_a_topology_from_a_configmap() -> None:
    found = made(
        "pytorch-ddp",
        ROCE,
        launcher="none",
        processes=8,
        command=["bash", "/scripts/run.sh"],
        workers=2,
        gpusPerWorker=8,
        rdma=True,
        resources={"ephemeral-storage": "200Gi"},
        volumes={"scripts": {"configMap": "scripts"}, "topology": {"configMap": "topology", "mount": "/etc/nccl"}},
        env={"NCCL_TOPO_FILE": "/etc/nccl/topology.xml", "HOST_IP": {"field": "status.hostIP"}},
    )
    worker = container(found, "Worker")

    assert found["spec"]["nprocPerNode"] == "8"
    assert worker["command"] == ["bash", "/scripts/run.sh"]
    assert pod(found, "Worker")["hostNetwork"] is True
    assert worker["securityContext"]["capabilities"] == {"add": ["IPC_LOCK"]}
    assert worker["resources"]["limits"]["rdma/hca_shared"] == "1"  # brings /dev/infiniband
    requests, limits = worker["resources"]["requests"], worker["resources"]["limits"]
    assert requests["ephemeral-storage"] == limits["ephemeral-storage"] == "200Gi"
    mounted = {each["mountPath"] for each in worker["volumeMounts"]}
    assert {"/dev/shm", "/etc/nccl", "/scripts"} <= mounted
    assert variables(worker)["HOST_IP"] == {"fieldRef": {"fieldPath": "status.hostIP"}}
    assert variables(worker)["NCCL_SOCKET_IFNAME"] == "ens1f0np0"


def test_elastic_training_by_the_cores_in_use_with_as_many_processes_as_cards() -> None:
    for etcd in (None, "etcd.team-vision:2379"):
        meeting = {"etcd": etcd} if etcd else {}
        found = made(
            "pytorch-ddp",
            command=["imagenet.py"],
            processes="auto",
            elastic={"least": 1, "most": 4, "restarts": 100, "scaling": {"cpu": 80}, **meeting},
            dataset={"claim": "imagenet"},
            checkpoints="/data/run",
        )
        policy = found["spec"]["elasticPolicy"]

        assert found["spec"]["nprocPerNode"] == "auto"
        assert (policy["minReplicas"], policy["maxReplicas"], policy["maxRestarts"]) == (1, 4, 100)
        assert policy["rdzvBackend"] == ("etcd-v2" if etcd else "c10d")
        assert policy["metrics"][0]["resource"]["target"]["averageUtilization"] == 80


def test_an_upload_beside_the_program_ends_with_the_job_and_a_wait_for_data_comes_before_it() -> None:
    found = made(
        "pytorch-ddp",
        launcher="accelerate",
        command=["--config_file", "/etc/accelerate/config.yaml", "train.py"],
        dataset={"claim": "data"},
        volumes={"config": {"configMap": "accelerate", "mount": "/etc/accelerate"}},
        sidecars=[{"name": "upload", "image": "docker.io/rclone/rclone:1.71", "command": ["sh", "-c", "upload"]}],
        initContainers=[{"name": "wait", "command": ["sh", "-c", "until [ -e /data/ready ]; do sleep 5; done"]}],
    )
    before = {each["name"]: each for each in pod(found)["initContainers"]}

    assert container(found)["command"] == ["accelerate", "launch"]
    assert container(found)["args"][-3:] == ["--config_file", "/etc/accelerate/config.yaml", "train.py"]
    assert before["upload"]["restartPolicy"] == "Always"
    assert "restartPolicy" not in before["wait"]
    assert {"name": "data", "mountPath": "/data"} in before["wait"]["volumeMounts"]


def test_a_pod_to_work_in_has_a_card_and_ssh_for_four_hours() -> None:
    keys = {"keys": {"secret": "ssh-keys", "mount": "/root/.ssh"}}
    server = ["/usr/sbin/sshd", "-De", "-p", "2222"]
    found = made("development", command=server, volumes=keys, deadlineHours=4, gpusPerWorker=1)

    assert found["spec"]["activeDeadlineSeconds"] == 4 * 3600
    assert container(found)["command"] == server
    assert container(found)["resources"]["limits"]["nvidia.com/gpu"] == "1"


ON_PROCESSORS = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {{kind: {kind}}}
    patch: |-
      - {{op: replace, path: /spec/{field}/{role}/template/spec/nodeSelector, value: {{pool: processors}}}}
      - {{op: remove, path: /spec/{field}/{role}/template/spec/tolerations}}
"""
TWO_POOLS = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: h100-80gb, perNode: 8}}
  - {name: processors, nodes: 2, selector: {pool: processors}}
components: {nvidia-device-plugin: {}, training-operator: {kinds: [TFJob]}, mpi-operator: {}}
teams: [{name: vision}]
jobs:
  - {template: mpi, name: bench, team: vision, pool: train, image: "registry.example.com/nccl:1", command: [all_reduce_perf], workers: 2, gpusPerWorker: 8}
  - {template: tensorflow, name: wide, team: vision, pool: train, image: "registry.example.com/wide:1", strategy: parameter-server, workers: 4, servers: 2}
"""


def test_a_launcher_and_servers_go_to_nodes_without_gpus_by_an_overlay(tmp_path: Path) -> None:
    wanted = {"bench": ("MPIJob", "mpiReplicaSpecs", "Launcher"), "wide": ("TFJob", "tfReplicaSpecs", "PS")}
    for name, (kind, field, role) in wanted.items():
        folder = tmp_path / "overlays" / "two" / "_jobs" / name
        folder.mkdir(parents=True)
        text = ON_PROCESSORS.format(kind=kind, field=field, role=role)
        (folder / "kustomization.yaml").write_text(text)
    stack = rendered_stack(tmp_path, TWO_POOLS, name="two")

    for name, (kind, _, role) in wanted.items():
        (found,) = (item.manifest for item in stack.jobs[name] if item.manifest["kind"] == kind)
        assert pod(found, role)["nodeSelector"] == {"pool": "processors"}
        assert "tolerations" not in pod(found, role)
        assert "nvidia.com/gpu" not in container(found, role)["resources"]["limits"]
        assert pod(found, "Worker")["nodeSelector"] == {"pool": "train"}
        assert [each["key"] for each in pod(found, "Worker")["tolerations"]] == ["gpu"]

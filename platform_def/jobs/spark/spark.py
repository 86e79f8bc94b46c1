"""Spark: a program with a driver and executors, as a SparkApplication of the Spark operator.

Driver and executors get the pod of every job by their templates; Spark itself writes cores and memory into it, and a
driver makes its executors under the account that the operator's component gives each team.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from platform_def.apis.kubeflow import spark_v1beta2 as v1
from platform_def.capabilities import ObjectStore
from platform_def.config.model import Model, Quantity, Subdomain
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU
from platform_def.constructs.resource import Resource
from platform_def.crds.quantity import amount
from platform_def.jobs.parameters import Variable
from platform_def.jobs.pod import Role, Size, make_claims, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

DRIVER, EXECUTOR = "spark-kubernetes-driver", "spark-kubernetes-executor"
"""Names that Spark gives the containers."""
ACCOUNT = "spark-operator-spark"
"""Account of drivers, which the component makes in the namespaces of teams."""
LABEL = "sparkoperator.k8s.io/app-name"
"""Label that the operator gives all pods of a program."""
OVERHEAD = {"Python": 0.4, "R": 0.4, "Java": 0.1, "Scala": 0.1}
"""Part of the heap that Spark adds for what is outside of it."""
SCRIPT = "/opt/spark/examples/src/main/scripts/getGpusResources.sh"
"""What tells Spark the cards of an executor, in Spark's own images."""
Program = Annotated[str, Field(pattern=r"^[a-z0-9]+://\S+$", max_length=1000)]


class Executors(Model):
    """Bounds between which Spark changes the number of executors, by the tasks that wait."""

    least: Annotated[int, Field(ge=0, le=4096)]
    """Fewest executors."""
    most: Annotated[int, Field(ge=1, le=4096)]
    """Most executors."""


class SparkConfig(TrainingConfig):
    """Parameters of a Spark program."""

    needs = ("SparkApplication.sparkoperator.k8s.io",)
    coordinator = "the driver"

    program: Program
    """The program: `local:///app/train.py` in the image, or a file that Spark fetches, such as `s3a://code/train.py`."""
    language: Literal["Python", "Java", "Scala", "R"] = "Python"
    """What it is written in."""
    main_class: Annotated[str, Field(pattern=r"^[A-Za-z_$][\w.$]*$", max_length=300)] | None = None
    """Class to start, of a program for Java or Scala."""
    spark_version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")] = "4.0.1"
    """Version of Spark in the image."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Executors, at the start where `elastic` changes them."""
    elastic: Executors | None = None
    """Lets Spark change the number of executors while the program runs."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=16)] = 0
    """GPUs of each executor; tasks of Spark and RAPIDS share them."""
    cpu: Quantity | None = "2"
    """Cores of each executor, whole ones."""
    memory: Quantity | None = "8Gi"
    """Memory of each executor, heap and all."""
    driver_cpu: Quantity = "1"
    """Cores of the driver, whole ones."""
    driver_memory: Quantity = "4Gi"
    """Memory of the driver, heap and all."""
    spark_conf: dict[Annotated[str, Field(pattern=r"^spark\.[A-Za-z0-9._-]+$")], str] = Field(default_factory=dict)
    """Further settings of Spark; they win over those that follow from other parameters."""
    event_logs: Annotated[str, Field(pattern=r"^s3a://[a-z0-9][a-z0-9.-]+(/\S*)?$", max_length=500)] | None = None
    """Folder of the stack's object store where the program's history is kept: `s3a://spark/events`."""
    store_credentials: Subdomain | None = None
    """Secret of the namespace with the keys `accessKey` and `secretKey` for that store."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.trainers + 1

    @property
    def trainers(self) -> int:
        """Executors: the most that there are."""
        return self.elastic.most if self.elastic else self.workers

    @property
    def fabric_pods(self) -> int:
        """The executors: the driver takes no part."""
        return self.trainers

    def others(self) -> Sequence[tuple[int, str, str]]:
        """The driver."""
        return [(1, self.driver_cpu, self.driver_memory)]

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and what Spark has no place for."""
        yield from super().problems(platform)
        if self.command:
            yield JobProblem(
                "command", "Spark starts the program itself", "name it with `program:`, arguments with `args:`"
            )
        if self.language in ("Java", "Scala") and not self.main_class:
            yield JobProblem("mainClass", f"a program for {self.language} needs the class to start")
        if self.elastic and not self.elastic.least <= self.workers <= self.elastic.most:
            text = f"{self.workers} executors are not between {self.elastic.least} and {self.elastic.most}"
            yield JobProblem("elastic", text, "change `workers:` or the bounds")
        if self.event_logs and platform.maybe(ObjectStore) is None:
            hint = "name one: `external: {objectStore: …}`"
            yield JobProblem("eventLogs", "nothing in the stack says where its object store is", hint)


class Spark(TemplateJob[SparkConfig]):
    """A SparkApplication."""

    def build(self) -> None:
        """Claims, and the program."""
        make_claims(self)
        Resource(self, v1.SPARK_APPLICATION, self.unique_name, spec=self.spec())

    def spec(self) -> v1.SparkApplicationSpec:
        """The program's specification."""
        config = self.config
        spec: v1.SparkApplicationSpec = {
            "type": config.language,
            "mode": "cluster",
            "sparkVersion": config.spark_version,
            "image": self.image(config.image),
            "imagePullPolicy": "IfNotPresent",
            "mainApplicationFile": config.program,
            "memoryOverheadFactor": str(OVERHEAD[config.language]),
            "restartPolicy": self.restarts(),
            "sparkConf": self.settings(),
            "driver": self.driver(),
            "executor": self.executor(),
        }
        if config.lifetime is not None:
            spec["timeToLiveSeconds"] = config.lifetime
        if config.main_class:
            spec["mainClass"] = config.main_class
        if config.args:
            spec["arguments"] = list(config.args)
        if config.elastic:
            spec["dynamicAllocation"] = {
                "enabled": True,
                "initialExecutors": config.workers,
                "minExecutors": config.elastic.least,
                "maxExecutors": config.elastic.most,
            }
        return spec

    def restarts(self) -> v1.RestartPolicy:
        """How often it is started again."""
        retries = self.config.retries
        if not retries:
            return {"type": "Never"}
        return {
            "type": "OnFailure",
            "onFailureRetries": retries,
            "onFailureRetryInterval": 10,
            "onSubmissionFailureRetries": retries,
            "onSubmissionFailureRetryInterval": 20,
        }

    def driver(self) -> v1.Driver:
        """The pod that directs."""
        config = self.config
        role = Role(
            container=DRIVER,
            trains=False,
            fabric=False,
            size=Size(config.driver_cpu, config.driver_memory),
            env=self.credentials(),
            token=True,
        )
        return {
            "cores": cores(config.driver_cpu),
            "memory": heap(config.driver_memory, config.language),
            "serviceAccount": config.service_account or ACCOUNT,
            "template": self.pod(role),
        }

    def executor(self) -> v1.Executor:
        """The pods that work."""
        config, own = self.config, self.config.share(self.platform)
        role = Role(container=EXECUTOR, env=self.credentials())
        return {
            "instances": config.workers,
            "cores": cores(config.cpu or own.cpu),
            "memory": heap(config.memory or own.memory, config.language),
            "deleteOnTermination": config.clean_pods != "None",
            "template": self.pod(role),
        }

    def pod(self, role: Role) -> dict[str, Any]:
        """The template of a pod, in which Spark fills in command, image, cores and memory."""
        template = cast("dict[str, Any]", pod_template(self, role, siblings=LABEL))
        for container in template["spec"]["containers"]:
            for kind in ("requests", "limits"):
                amounts = container.get("resources", {}).get(kind, {})
                for name in ("cpu", "memory"):
                    amounts.pop(name, None)
        return template

    def settings(self) -> dict[str, str]:
        """Settings of Spark."""
        return {**dict(self._gpus()), **dict(self._store()), **self.config.spark_conf}

    def _gpus(self) -> Iterator[tuple[str, str]]:
        """Spark schedules tasks by whole cards; of shared ones it sees what the pod has."""
        count = self.config.gpus_per_worker
        limits = self.executor()["template"]["spec"]["containers"][0].get("resources", {}).get("limits", {})
        if count and WHOLE_GPU in limits:
            yield "spark.executor.resource.gpu.amount", str(count)
            yield "spark.executor.resource.gpu.vendor", "nvidia.com"
            yield "spark.executor.resource.gpu.discoveryScript", SCRIPT
            tasks = max(cores(self.config.cpu or self.config.share(self.platform).cpu), 1)
            yield "spark.task.resource.gpu.amount", f"{count / tasks:g}"

    def _store(self) -> Iterator[tuple[str, str]]:
        """The stack's object store, for history and data."""
        given = self.platform.maybe(ObjectStore)
        if given is None:
            return
        store = given.value
        yield "spark.hadoop.fs.s3a.endpoint", f"{'https' if store.tls else 'http'}://{store.host}:{store.port}"
        yield "spark.hadoop.fs.s3a.endpoint.region", store.region
        yield "spark.hadoop.fs.s3a.path.style.access", str(store.path_style).lower()
        yield "spark.hadoop.fs.s3a.connection.ssl.enabled", str(store.tls).lower()
        if self.config.event_logs:
            yield "spark.eventLog.enabled", "true"
            yield "spark.eventLog.dir", self.config.event_logs

    def credentials(self) -> dict[str, str | Variable]:
        """Variables by which Spark's client for S3 proves itself."""
        secret = self.config.store_credentials
        if not secret:
            return {}
        return {
            "AWS_ACCESS_KEY_ID": Variable(secret=secret, key="accessKey"),
            "AWS_SECRET_ACCESS_KEY": Variable(secret=secret, key="secretKey"),
        }


def cores(quantity: str) -> int:
    """Whole cores, at least one."""
    return max(math.floor(amount(quantity) or 1), 1)


def heap(memory: str, language: str) -> str:
    """The heap with which a pod has this much memory: Spark adds a part of the heap, 384 MiB at least."""
    whole = float(amount(memory) or 0) / 2**20
    return f"{max(math.floor(min(whole / (1 + OVERHEAD[language]), whole - 384)), 512)}m"

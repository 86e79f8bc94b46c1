"""Workers fed by a message queue: a Job for every so many messages that wait, none while there are none (KEDA).

The program takes its messages from the broker itself, and confirms them when their work is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.apis.keda.v1alpha1 import (
    SCALED_JOB,
    TRIGGER_AUTHENTICATION,
    ConfigMapTargetRef,
    ScaledJobSpec,
    Trigger,
)
from platform_def.capabilities import MessageQueue
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import Variable
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig

SIBLINGS = "scaledjob.keda.sh/name"
"""Label that KEDA gives all Jobs of a ScaledJob, and their pods."""
CREDENTIALS = ("username", "password")
"""Keys of the Secret, and parameters of KEDA's scalers."""


class QueueWorkersConfig(PodConfig):
    """Parameters of workers fed by a message queue."""

    exchanges_nothing = "workers of a queue do not know each other"

    stays = "ScaledJob"
    needs = ("ScaledJob.keda.sh",)

    source: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:/-]+$", max_length=249)]
    """Queue of RabbitMQ, or topic of Kafka, that messages are taken from."""
    group: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=249)] | None = None  # type: ignore[assignment]
    """Consumer group of Kafka; by default the job's name."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Most pods at once; each is a Job of its own."""
    idle_workers: Annotated[int, Field(ge=0, le=4096)] = 0
    """Pods that are there without messages."""
    messages_per_worker: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Messages that wait for one more pod to be started: as many as a pod takes before it ends."""
    polling_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    """Time between two looks at the queue."""
    keep_finished: Annotated[int, Field(ge=0, le=1000)] = 10
    """Jobs that are kept with their logs after they ended well, and as many after they failed."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often a Job's pod is restarted before the Job has failed."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.workers

    @property
    def trainers(self) -> int:
        """Pods with GPUs, where the job has some: the most that there are."""
        return self.workers

    def queued_kinds(self) -> tuple[str, ...]:
        """The Jobs wait, one by one, and not the object that has them made."""
        return (JOB.full_name,)

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """A broker that is not named, and words that mean nothing to it."""
        yield from super().problems(platform)
        given = platform.maybe(MessageQueue)
        if given is None:
            hint = "write `external: {messageQueue: {system: rabbitmq, brokers: [rabbit.example.com:5671]}}`"
            yield JobProblem("source", "nothing in the stack says which broker has the messages", hint)
        elif given.value.system == "rabbitmq" and self.group:
            yield JobProblem("group", "RabbitMQ knows no consumer groups", "leave it out")
        if self.idle_workers > self.workers:
            text = f"{self.idle_workers} pods without messages are more than the {self.workers} with them"
            yield JobProblem("idleWorkers", text, "raise `workers:`")


class QueueWorkers(TemplateJob[QueueWorkersConfig]):
    """A ScaledJob, with the credentials by which KEDA looks at the queue."""

    def build(self) -> None:
        """Claims, credentials, and what has the Jobs made."""
        make_claims(self)
        broker = self.platform.one(MessageQueue, who=f"the job {self.config.name}").value
        if broker.credentials:
            Resource(
                self, TRIGGER_AUTHENTICATION, self.unique_name, spec={"secretTargetRef": shown(broker.credentials)}
            )
        Resource(self, SCALED_JOB, self.unique_name, spec=self.spec(broker))
        make_tensorboard(self)

    def labels_of(self, kind: str) -> dict[str, str]:
        """KEDA gives Jobs the labels of the ScaledJob: those by which they wait in a queue among them."""
        return super().labels_of(JOB.full_name if kind == SCALED_JOB.full_name else kind)

    def spec(self, broker: MessageQueue) -> ScaledJobSpec:
        """The Jobs, and what they are made by."""
        config = self.config
        role = Role(container="main", command=config.command, args=config.args, env=self.told(broker), restart="Never")
        template = pod_template(self, role, siblings=SIBLINGS)
        return {
            "jobTargetRef": job_spec(template, deadline_hours=config.deadline_hours, retries=config.retries),
            "minReplicaCount": config.idle_workers,
            "maxReplicaCount": config.workers,
            "pollingInterval": config.polling_seconds,
            "successfulJobsHistoryLimit": config.keep_finished,
            "failedJobsHistoryLimit": config.keep_finished,
            # By default a change would delete the Jobs that run.
            "rollout": {"strategy": "gradual"},
            # RabbitMQ's length leaves out what is being worked on, Kafka's lag does not until it is committed.
            "scalingStrategy": {"strategy": "accurate" if broker.system == "rabbitmq" else "default"},
            "triggers": [self.trigger(broker)],
        }

    def trigger(self, broker: MessageQueue) -> Trigger:
        """The queue's length, as the scaler of its system measures it."""
        rabbit = broker.system == "rabbitmq"
        trigger: Trigger = {
            "type": broker.system,
            "metadata": dict(self._rabbitmq(broker) if rabbit else self._kafka(broker)),
        }
        if broker.credentials:
            trigger["authenticationRef"] = {"kind": "TriggerAuthentication", "name": self.unique_name}
        return trigger

    def _rabbitmq(self, broker: MessageQueue) -> Iterator[tuple[str, str]]:
        if broker.management:
            yield "protocol", "http"
            yield "host", f"{broker.management.rstrip('/')}/"
            yield "excludeUnacknowledged", "true"
        else:
            yield "protocol", "amqp"
            yield "host", f"{'amqps' if broker.tls else 'amqp'}://{broker.brokers[0]}/"
        yield "vhostName", broker.virtual_host
        yield "queueName", self.config.source
        yield "mode", "QueueLength"
        yield "value", str(self.config.messages_per_worker)

    def _kafka(self, broker: MessageQueue) -> Iterator[tuple[str, str]]:
        yield "bootstrapServers", ",".join(broker.brokers)
        yield "consumerGroup", self.group
        yield "topic", self.config.source
        yield "lagThreshold", str(self.config.messages_per_worker)
        yield "tls", "enable" if broker.tls else "disable"
        if broker.credentials:
            yield "sasl", broker.sasl

    @property
    def group(self) -> str:
        """Consumer group of Kafka."""
        return self.config.group or self.config.name

    def told(self, broker: MessageQueue) -> dict[str, str | Variable]:
        """Variables by which the program finds its messages."""
        found: dict[str, str | Variable] = {
            "MESSAGE_BROKERS": ",".join(broker.brokers),
            "MESSAGE_TLS": str(broker.tls).lower(),
            "MESSAGE_SOURCE": self.config.source,
        }
        if broker.system == "rabbitmq":
            found["MESSAGE_VIRTUAL_HOST"] = broker.virtual_host
        else:
            found["MESSAGE_GROUP"] = self.group
        if broker.credentials:
            if broker.system == "kafka":
                found["MESSAGE_SASL"] = broker.sasl
            found |= {f"MESSAGE_{key.upper()}": Variable(secret=broker.credentials, key=key) for key in CREDENTIALS}
        return found


def shown(secret: str) -> list[ConfigMapTargetRef]:
    """The keys of a Secret as parameters of a scaler."""
    return [{"parameter": key, "name": secret, "key": key} for key in CREDENTIALS]

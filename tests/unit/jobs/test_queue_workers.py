"""Workers fed by a message queue: Jobs that KEDA makes by the length of a queue."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import JobQueue, MessageQueue
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.jobs.waiting import waiting_problems
from tests.unit.jobs.platforms import PLATFORM, configured, container, objects, problems, variables

NAME = "queue-workers"
RABBIT = {"system": "rabbitmq", "brokers": ["rabbit.example.com:5671"], "credentials": "rabbit"}
KAFKA = {"system": "kafka", "brokers": ["a.example.com:9093", "b.example.com:9093"], "credentials": "kafka"}
KUEUE = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["Job.batch"])


def beside(*given: JobQueue, broker: dict[str, Any] | None = None) -> Platform:
    """The platform with a broker outside of it."""
    brokers = [MessageQueue.from_file(broker or RABBIT)]
    return PLATFORM.with_facts(provisions=tuple(Provision.of(each, EXTERNAL) for each in (*brokers, *given)))


def scaled(broker: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    made = objects(NAME, beside(broker=broker), **{"source": "recordings", **values})
    return next(each for each in made if each["kind"] == "ScaledJob")


def trigger(broker: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    (found,) = scaled(broker, **values)["spec"]["triggers"]
    return dict(found)


def test_a_pod_is_made_for_so_many_messages_up_to_the_most() -> None:
    spec = scaled(workers=8, idleWorkers=1, messagesPerWorker=20, pollingSeconds=5)["spec"]

    assert (spec["minReplicaCount"], spec["maxReplicaCount"], spec["pollingInterval"]) == (1, 8, 5)
    assert spec["triggers"][0]["metadata"]["value"] == "20"


def test_a_change_lets_jobs_that_run_come_to_their_end() -> None:
    assert scaled()["spec"]["rollout"] == {"strategy": "gradual"}


def test_a_queue_of_rabbitmq_is_measured_without_what_is_being_worked_on() -> None:
    spec = scaled()["spec"]

    assert spec["scalingStrategy"] == {"strategy": "accurate"}
    assert spec["triggers"][0]["metadata"]["host"] == "amqps://rabbit.example.com:5671/"
    asked = trigger({**RABBIT, "management": "https://rabbit.example.com:15671", "virtualHost": "jobs"})["metadata"]
    assert (asked["protocol"], asked["excludeUnacknowledged"], asked["vhostName"]) == ("http", "true", "jobs")
    assert trigger({**RABBIT, "tls": False})["metadata"]["host"] == "amqp://rabbit.example.com:5671/"


def test_the_lag_of_a_topic_counts_until_it_is_committed() -> None:
    spec = scaled(KAFKA)["spec"]

    assert spec["scalingStrategy"] == {"strategy": "default"}
    assert spec["triggers"][0]["metadata"] == {
        "bootstrapServers": "a.example.com:9093,b.example.com:9093",
        "consumerGroup": "one",
        "topic": "recordings",
        "lagThreshold": "1",
        "tls": "enable",
        "sasl": "scram_sha512",
    }


def test_credentials_are_a_secret_of_the_jobs_namespace_for_keda_and_for_the_program() -> None:
    made = objects(NAME, beside(), source="recordings")
    (authentication,) = (each for each in made if each["kind"] == "TriggerAuthentication")
    (job,) = (each for each in made if each["kind"] == "ScaledJob")
    found = variables(container({"kind": "Job", "spec": job["spec"]["jobTargetRef"]}))

    assert {each["parameter"]: (each["name"], each["key"]) for each in authentication["spec"]["secretTargetRef"]} == {
        "username": ("rabbit", "username"),
        "password": ("rabbit", "password"),
    }
    assert job["spec"]["triggers"][0]["authenticationRef"]["name"] == authentication["metadata"]["name"]
    assert found["MESSAGE_PASSWORD"] == {"secretKeyRef": {"name": "rabbit", "key": "password"}}
    assert found["MESSAGE_SOURCE"] == "recordings"


def test_a_broker_that_asks_for_nothing_is_shown_nothing() -> None:
    open_one = {"system": "kafka", "brokers": ["a.example.com:9092"], "tls": False, "sasl": "none"}
    made = objects(NAME, beside(broker=open_one), source="recordings")

    assert [each["kind"] for each in made] == ["ScaledJob"]
    assert "authenticationRef" not in made[0]["spec"]["triggers"][0]
    assert "sasl" not in made[0]["spec"]["triggers"][0]["metadata"]


def test_its_jobs_wait_in_the_queue_of_the_team() -> None:
    queued = beside(KUEUE).with_facts(teams=(Team.from_file({"name": "vision", "queue": "vision"}),))
    made = objects(NAME, queued, source="recordings", team="vision")
    (job,) = (each for each in made if each["kind"] == "ScaledJob")

    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "vision"
    assert list(waiting_problems(configured(NAME, source="recordings", team="vision"), queued)) == []


def test_the_demand_is_that_of_the_most_pods() -> None:
    demand = configured(NAME, source="recordings", workers=6, gpusPerWorker=2, pool="train").demand(PLATFORM)

    assert demand is not None
    assert (demand.pods, demand.gpus) == (6, 2)


@pytest.mark.parametrize(
    ("values", "field"), [({"group": "speech"}, "group"), ({"idleWorkers": 3, "workers": 2}, "idleWorkers")]
)
def test_words_that_mean_nothing_are_refused(values: dict[str, Any], field: str) -> None:
    found = problems(NAME, beside(), source="recordings", **values)

    assert [each for each, _ in found] == [field]


def test_a_stack_that_names_no_broker_is_told_how() -> None:
    ((field, text),) = problems(NAME, PLATFORM.with_facts(provisions=()), source="recordings")

    assert field == "source"
    assert "external: {messageQueue:" in text


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({**RABBIT, "brokers": ["a:1", "b:2"]}, "one address"),
        ({**KAFKA, "management": "https://kafka.example.com"}, "no management API"),
        ({**KAFKA, "sasl": "none"}, "asks for no credentials"),
    ],
)
def test_a_broker_is_of_one_system(wrong: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        MessageQueue.from_file(wrong)

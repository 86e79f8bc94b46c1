"""Queues of messages that programs take their work from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import MisfitError, Subdomain, Url, conflict

Broker = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?:[0-9]{1,5}$", max_length=260)]
"""A server with its port: `rabbit.example.com:5671`."""
Sasl = Literal["none", "plaintext", "scram_sha256", "scram_sha512"]


class MessageQueue(Capability):
    """A broker of messages, outside of the stack or in it."""

    title: ClassVar[str] = "a message queue"

    system: Literal["rabbitmq", "kafka"]
    """Whose it is."""
    brokers: Annotated[list[Broker], Field(min_length=1, max_length=20)]
    """Servers that programs connect to; RabbitMQ has one address."""
    management: Url | None = None
    """Management API of RabbitMQ, by which the length of queues is asked then; otherwise by AMQP."""
    virtual_host: Annotated[str, Field(pattern=r"^[A-Za-z0-9_./-]+$", max_length=200)] = "/"
    """Virtual host of RabbitMQ."""
    tls: bool = True
    """Whether connections are encrypted."""
    sasl: Sasl = "scram_sha512"
    """How programs show who they are to Kafka."""
    credentials: Subdomain | None = None
    """Secret with the keys `username` and `password`, in the namespace of each job that takes messages."""

    @conflict
    def _of_its_system(self) -> Iterator[ValueError]:
        if self.system == "rabbitmq" and len(self.brokers) > 1:
            yield MisfitError(
                "RabbitMQ is reached at one address: name its load balancer or one of its nodes", "brokers"
            )
        if self.system == "kafka" and self.management:
            yield MisfitError("Kafka has no management API: leave it out", "management")
        if self.system == "kafka" and self.credentials and self.sasl == "none":
            yield MisfitError("with `sasl: none` Kafka asks for no credentials: leave them out", "credentials")

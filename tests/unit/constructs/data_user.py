"""A small component that keeps notes in a database, and files in a bucket where it is told to."""

from __future__ import annotations

from typing import Any

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import ObjectStore
from platform_def.config.model import Name
from platform_def.constructs import (
    Bucket,
    Component,
    ComponentConfig,
    Database,
    Deployment,
    Need,
    Setting,
    database_need,
    need,
)


class NotesConfig(ComponentConfig):
    """What a stack may choose about it."""

    namespace: Name = "notes"
    """Namespace of the program."""
    files: bool = False
    """Keep files too."""


class Notes(Component[NotesConfig]):
    """A program, its database and its bucket."""

    slug = "notes"

    @classmethod
    def needs_of(cls, at: Setting[NotesConfig]) -> tuple[Need[Any], ...]:
        """A MySQL server, and an object store for files."""
        return (database_need("mysql"), *((need(ObjectStore),) if at.config.files else ()))

    def build(self) -> None:
        """Everything."""
        database = Database(self, self.named("notes"), engine="mysql")
        env = database.env(
            DB_HOST="host", DB_PORT="port", DB_NAME="database", DB_USER="username", DB_PASSWORD="password"
        )
        if self.config.files:
            bucket = Bucket(self, self.named("notes"))
            env += bucket.env(access_key="AWS_ACCESS_KEY_ID", secret_key="AWS_SECRET_ACCESS_KEY")
            env.append({"name": "S3", "value": f"{bucket.url}/{bucket.bucket}"})
        container: Container = {
            "name": "notes",
            "image": "registry.example.com/notes:1",
            "env": env,
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
        }
        Deployment(self, self.named("notes"), pod={"containers": [container]})

"""Loading a data set onto a shared volume: files from addresses, checked and unpacked, by one pod without GPUs.

What is there already and whole is left alone, so that the job may run again; a file is moved to its place only when it
is whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.config.model import Image, MisfitError, Model, Quantity, Url, conflict
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import RelativePath, Volume
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.pod import Role, make_claims, pod_template
from platform_def.jobs.pods.outside import way_out
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import PodConfig

ALPINE = "docker.io/library/alpine:3.22.1"
SCRIPT = """\
fetch() {
  mkdir -p "$2"
  cd "$2"
  name="${1##*/}"
  name="${name%%[?#]*}"
  [ -n "$name" ] || { echo "$1 ends in no file name"; exit 1; }
  if [ -e ".$name.done" ] && [ "$(cat ".$name.done")" = "$3" ]; then echo "$name is there"; return; fi
  wget -q -O ".$name.part" "$1"
  if [ -n "$3" ]; then echo "$3  .$name.part" | sha256sum -c -; fi
  mv ".$name.part" "$name"
  if [ "$4" = unpack ]; then
    case "$name" in
      *.zip) unzip -q -o "$name" ;;
      *) tar -xf "$name" ;;
    esac
    rm "$name"
  fi
  echo "$3" > ".$name.done"
  echo "$name is loaded"
}
while [ $# -gt 0 ]; do
  fetch "$1" "$2" "$3" "$4"
  shift 4
done
df -h .
"""


class Source(Model):
    """A file to load."""

    url: Url
    """Where it is: http or https."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """Its checksum; a file that has another is not taken."""
    folder: RelativePath | None = None
    """Folder of the volume that it goes to; by default its root."""
    unpack: bool = False
    """Unpack it there (tar, also compressed, or zip), and remove the archive."""

    @conflict
    def _by_http(self) -> Iterator[ValueError]:
        if not self.url.startswith(("http://", "https://")):
            yield MisfitError("only http and https are known; for others give the job `image:` and `command:`", "url")


class DatasetLoadConfig(PodConfig):
    """Parameters of loading a data set."""

    exchanges_nothing = "sources are fetched over TCP"

    image: Image = ALPINE
    """Image with a shell, wget, tar, unzip and sha256sum."""
    command: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["sh", "-ec", SCRIPT, "load"])
    """What loads; by default a script for `sources`. For object stores name an image with their client, and its
    command with credentials from `env`."""
    sources: list[Source] = Field(default_factory=list)
    """Files to load, one after the other."""
    dataset: Volume | None = Volume(storage="shared")
    """The volume that is filled, at /data."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=0)] = 0
    """None: loading needs no GPU."""
    cpu: Quantity | None = "1"
    """Cores."""
    memory: Quantity | None = "2Gi"
    """Memory."""
    retries: Annotated[int, Field(ge=0, le=100)] = 6
    """How often a pod that failed is tried again."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong beside what can be with any job."""
        yield from super().problems(platform)
        said = self.model_fields_set
        if self.dataset is None:
            yield JobProblem("dataset", "there is no volume to fill", "name one with `claim:` or `storage:`")
        if not self.sources and "command" not in said:
            yield JobProblem("sources", "there is nothing to load", "list files: `sources: [{url: https://…}]`")
        if self.sources and "command" in said:
            yield JobProblem("sources", "a command of your own does not read them", "leave one of the two out")


class DatasetLoad(TemplateJob[DatasetLoadConfig]):
    """A Job that fills a volume, and the volume."""

    def build(self) -> None:
        """Claim, and the job."""
        make_claims(self)
        config = self.config
        env = way_out(config, self.platform)
        role = Role(container="load", command=config.command, args=self.arguments(), env=env, restart="Never")
        template = pod_template(self, role)
        spec = job_spec(
            template, deadline_hours=config.deadline_hours, lifetime=config.lifetime, retries=config.retries
        )
        Resource(self, JOB, self.unique_name, spec=spec)

    def arguments(self) -> list[str]:
        """Four words a file: address, folder, checksum, and whether to unpack."""
        root = self.config.mounted()["data"][0] if self.config.dataset else "/"
        words = list(self.config.args)
        for each in self.config.sources:
            folder = f"{root}/{each.folder}" if each.folder else root
            words += [each.url, folder, each.sha256 or "", "unpack" if each.unpack else "keep"]
        return words

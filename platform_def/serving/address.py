"""Addresses of models: in an object store, on a volume, in a registry, on Hugging Face."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator

from platform_def.capabilities import ModelServing, ObjectStore, RegisteredModels
from platform_def.config.platform import Platform
from platform_def.jobs.problem import JobProblem

_PATH = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9._+-]*(/[A-Za-z0-9_+-][A-Za-z0-9._+-]*)*")
MLFLOW = "mlflow-artifacts"
"""How MLflow's own addresses of files begin, which have one slash: those that its server hands on to its bucket."""
_ADDRESS = re.compile(rf"(s3|gs|hf|pvc|oci|https|http|model-registry)://[^\s@]+|{MLFLOW}:/[^\s@/][^\s@]*")
_NAMED = re.compile(r"models:/+([^/@\s]+)[/@]([^/@\s]+)")
_BUCKET = "models"


def _address(value: str) -> str:
    if found := _NAMED.fullmatch(value):
        raise ValueError(
            f"'{value[:80]}' is a name that MLflow's clients resolve, and another address tomorrow: write the one that "
            f"`mlflow.MlflowClient().get_model_version_download_uri('{found[1]}', '{found[2]}')` prints"
        )
    if len(value) > 1000 or not (_PATH.fullmatch(value) or _ADDRESS.fullmatch(value)):
        raise ValueError(
            f"'{value[:80]}' is no address of a model: write a path in the stack's bucket of models, or s3://, gs://, "
            "hf://, pvc://, oci://, https://, model-registry:// or mlflow-artifacts:/ and what follows, without a "
            "password"
        )
    return value


Address = Annotated[str, AfterValidator(_address)]
"""Where a model is: `iris/1` in the bucket of models, `s3://bucket/path`, `pvc://claim/path`, `hf://owner/name` …"""


def scheme(address: str) -> str:
    """How it is fetched; empty for a path in the stack's bucket of models."""
    return address.partition(":/")[0] if ":/" in address else ""


def full(address: str, platform: Platform) -> str:
    """The address as KServe fetches it: a path is in the bucket of models of the stack's object store, one of MLflow's
    in that of MLflow."""
    if scheme(address) == MLFLOW:
        registry = platform.maybe(RegisteredModels)
        return f"s3://{registry.value.bucket if registry else ''}/{address.partition(':/')[2]}"
    return address if scheme(address) else f"s3://{bucket_of(platform)}/{address}"


def bucket_of(platform: Platform) -> str:
    """Name of the bucket of models; empty where the stack's store has none, or there is no store."""
    serving = platform.maybe(ModelServing)
    if serving:
        return serving.value.bucket
    store = platform.maybe(ObjectStore)
    share = store.value.buckets.get(_BUCKET) if store else None
    return share.bucket or _BUCKET if share else ""


def claim_in(address: str) -> tuple[str, str]:
    """The claim of a `pvc://` address, and the path on it; two empty texts for other addresses."""
    if scheme(address) != "pvc":
        return "", ""
    claim, _, path = address.partition("://")[2].partition("/")
    return claim, path


def address_problems(field: str, address: str, platform: Platform, team: str | None) -> Iterator[JobProblem]:
    """A path without a bucket, an address that nothing in the stack resolves, a registry that the team may not read."""
    if not scheme(address) and not bucket_of(platform):
        text = f"'{address}' is a path in a bucket of models, and the stack has no object store with one"
        hint = "write `external: {objectStore: {host: …}}`, or the whole address, such as hf://owner/name"
        yield JobProblem(field, text, hint)
    if scheme(address) == "model-registry" and not platform.instances("model-registry"):
        text = "nothing in the stack resolves model-registry:// addresses"
        yield JobProblem(field, text, "add `model-registry: {}` under components")
    if scheme(address) == MLFLOW:
        yield from _registry_problems(field, platform, team)


def _registry_problems(field: str, platform: Platform, team: str | None) -> Iterator[JobProblem]:
    registry = platform.maybe(RegisteredModels)
    if registry is None:
        yield JobProblem(field, f"nothing in the stack has {MLFLOW}:/ addresses", "add `mlflow: {}` under components")
    elif team not in registry.value.teams:
        whose = f"team '{team}' has" if team else "a model without a team has"
        text = f"{whose} no key to the files of {registry.by}"
        hint = f"add it to `servingTeams` of {registry.by}" if team else "write `team: …`"
        yield JobProblem(field, text, hint)

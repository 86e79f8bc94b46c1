"""Variables of a job's containers: text, or where the value stands."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import EnvFromSource, EnvVar
from platform_def.constructs.environment import from_amount, from_config, from_field, from_secret
from platform_def.jobs.parameters import Variable, VariableSource


def variable(name: str, value: str | Variable) -> EnvVar:
    """One variable."""
    if isinstance(value, str):
        return {"name": name, "value": value}
    if value.secret:
        return {"name": name, "valueFrom": from_secret(value.secret, value.key or "")}
    if value.config_map:
        return {"name": name, "valueFrom": from_config(value.config_map, value.key or "")}
    if value.field:
        return {"name": name, "valueFrom": from_field(value.field)}
    return {"name": name, "valueFrom": from_amount(value.resource or "")}


def sources(given: Sequence[VariableSource]) -> list[EnvFromSource]:
    """Secrets and ConfigMaps all of whose keys become variables."""
    return [_source(each) for each in given]


def _source(given: VariableSource) -> EnvFromSource:
    made: EnvFromSource = (
        {"secretRef": {"name": given.secret}} if given.secret else {"configMapRef": {"name": given.config_map or ""}}
    )
    if given.prefix:
        made["prefix"] = given.prefix
    return made

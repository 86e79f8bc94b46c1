"""Servers that get a copy of all series, as the operator's resources write them."""

from __future__ import annotations

from platform_def.apis.prometheus_operator.servers_v1 import RemoteWrite as Written
from platform_def.components.monitoring.prometheus.config import RemoteWrite
from platform_def.constructs import secret_of
from platform_def.constructs.component import AnyComponent


def remote_write(component: AnyComponent, wanted: RemoteWrite) -> Written:
    """One of them, with its Secret in the component's namespace."""
    made: Written = {"url": str(wanted.url), "name": wanted.name}
    secret = f"prometheus-{wanted.name}"
    if wanted.basic:
        use = secret_of(component, secret, wanted.basic, keys=("username", "password"))
        made["basicAuth"] = {"username": use.ref("username"), "password": use.ref("password")}
    if wanted.token:
        use = secret_of(component, secret, wanted.token, keys=("token",))
        made["authorization"] = {"credentials": use.ref("token")}
    if wanted.ca:
        made["tlsConfig"] = {"ca": {"configMap": {"name": wanted.ca.config_map, "key": wanted.ca.key}}}
    if wanted.headers:
        made["headers"] = {**wanted.headers}
    if wanted.keep:
        made["writeRelabelConfigs"] = [{"action": "keep", "sourceLabels": ["__name__"], "regex": "|".join(wanted.keep)}]
    return made

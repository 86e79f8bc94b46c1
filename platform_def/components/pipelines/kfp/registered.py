"""Namespaces that people register: what these have for pipelines is made in the cluster, by Metacontroller and a hook.

The hook answers with a template that is made here by the code that renders teams, so the two cannot differ. Namespaces
of the stack's own teams are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import SERVICE, Container, PodSpec
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY
from platform_def.apis.metacontroller.v1alpha1 import DECORATOR_CONTROLLER, Attachment
from platform_def.capabilities import AccessManagement, HookControllers, Mesh, ObjectStore
from platform_def.capabilities.stores import SharedBucket
from platform_def.components.pipelines.kfp.parts import PLACEHOLDER, REGISTERED, homes
from platform_def.components.pipelines.kfp.stores import Stores
from platform_def.components.pipelines.kfp.teams import EDIT_ROLE, SHARED, team
from platform_def.constructs import (
    READ,
    RESTRICTED,
    Account,
    Deployment,
    NetworkPolicy,
    Problem,
    Resource,
    SecretUse,
    Setting,
    allow,
    config_map,
    from_cluster,
    from_pods,
    http_probe,
    port,
    restart_on_change,
)
from platform_def.constructs.bucket import store_program
from platform_def.constructs.component import Piece
from platform_def.constructs.mesh import PROXY_METRICS, in_mesh
from platform_def.constructs.network_policy import from_namespaces
from platform_def.constructs.rbac import RBAC_GROUP
from platform_def.constructs.secrets import PYTHON, UNPRIVILEGED, GeneratedSecret, generator_program
from platform_def.constructs.volumes import mounts

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp, KfpConfig

NAME, SEED, PORT = "kfp-namespaces", "kfp-namespaces-seed", 8080
INSTANCE = "app.kubernetes.io/instance"
PLURALS = {"ConfigMap": "configmaps", "ServiceAccount": "serviceaccounts", "RoleBinding": "rolebindings"}
METHODS = {"RoleBinding": "Recreate"}
"""The API server refuses to change the role of a binding."""


def registration_problems(at: Setting[KfpConfig]) -> Iterator[Problem]:
    """Why no namespace could be registered."""
    if not at.config.registered_namespaces:
        return
    here, knob = ("components", at.name, "registeredNamespaces"), f"components.{at.name}.registeredNamespaces"
    if at.config.serves == "one":
        yield Problem(
            f"{knob}: with `serves: one` all runs are in {at.config.namespace}, and no other namespace has any",
            hint="take it out, or write `serves: teams`",
            at=here,
        )
    given = at.maybe(AccessManagement)
    if given is None or not given.value.registration:
        there = f"{given.by} does not let people register" if given else "nothing in the stack lets people register"
        yield Problem(
            f"{knob}: {there} namespaces of their own, so there are none to serve",
            hint="write `profiles: {selfRegistration: true}`, or take it out: teams of the stack need it not",
            at=here,
        )

    if not meshed(at) and not at.platform.network_policies:
        yield Problem(
            f"{knob}: anyone in the cluster could ask the program that answers what a namespace gets",
            hint="add `istio-cni: {}`, by which it is in the mesh, or write `networkPolicies: true`",
            at=here,
        )


def meshed(at: Setting[KfpConfig]) -> bool:
    """Whether programs of any namespace can be in the mesh: a proxy that redirects by itself may not start in most."""
    given = at.maybe(Mesh)
    return given is not None and given.value.redirected


def makes_keys(store: ObjectStore) -> bool:
    """Whether the hook makes the key of a namespace: an administrator in the cluster makes those of teams, too."""
    share = store.buckets.get("kfp", SharedBucket())
    source = share.credentials or store.credentials
    return store.administrator is not None and store.namespace is not None and (source is None or bool(source.generate))


def unmade_key(at: Setting[KfpConfig]) -> str:
    """The Secret that a person must make in each namespace that is registered; empty where none is needed."""
    given = at.maybe(ObjectStore)
    if not at.config.registered_namespaces or given is None or makes_keys(given.value):
        return ""
    share = given.value.buckets.get("kfp", SharedBucket())
    return "kfp-<namespace>-bucket" if share.credentials or given.value.credentials else ""


def registered(component: AnyKfp, stores: Stores) -> None:
    """The hook, who asks it, and the rights on what it answers."""
    store = stores.bucket.given.value
    home = store.namespace if makes_keys(store) and store.namespace else component.namespace
    made = template(component, stores)
    _hook(component, stores, made, home)
    _controller(component, made, home)
    _rights(component, made)
    if store.pods and store.namespace and component.platform.network_policies:
        opened = [from_namespaces(REGISTERED, store.port)]
        NetworkPolicy(component, NAME, openings=opened, pods=store.pods, namespace=store.namespace)


def template(component: AnyKfp, stores: Stores) -> list[dict[str, Any]]:
    """What a namespace has, as `team` renders it; without the label by which an engine may take it for its own."""
    scratch = Piece(component, "template")
    team(scratch, component, stores, PLACEHOLDER)
    made = [each.manifest for each in scratch.node.find_all() if isinstance(each, Resource)]
    component.node.try_remove_child(scratch.node.id)
    for each in made:
        each["metadata"]["labels"] = {
            key: value for key, value in each["metadata"]["labels"].items() if key != INSTANCE
        }
    return made


def _hook(component: AnyKfp, stores: Stores, made: list[dict[str, Any]], home: str) -> None:
    """The program, in the namespace of the store where it makes keys there."""
    store = stores.bucket.given.value
    plan: dict[str, Any] = {"placeholder": PLACEHOLDER, "rendered": [*homes(component)]}
    files = {"hook.py": _program(), "template.json": json.dumps(made, indent=2, sort_keys=True) + "\n"}
    secrets: dict[str, SecretUse] = {}
    account = Account(component, NAME, namespace=home)
    if makes_keys(store) and store.administrator:
        plan |= {"host": store.host, "port": store.port, "tls": store.tls, "region": store.region}
        plan |= {"bucket": stores.bucket.bucket, "prefix": stores.prefix, "labels": made[0]["metadata"]["labels"]}
        files |= {"store_program.py": store_program(), "secret_generator.py": generator_program()}
        secrets["administrator"] = SecretUse(store.administrator.secret, store.administrator.keys)
        secrets["seed"] = GeneratedSecret(component, SEED, passwords=["seed"], length=64, namespaces=[home]).use
        account.allow([allow("", "secrets", verbs="create")])
    files["plan.json"] = json.dumps(plan, indent=2, sort_keys=True) + "\n"
    config_map(component, NAME, files, namespace=home)
    Deployment(
        component,
        NAME,
        pod=_pod(secrets),
        pod_labels=in_mesh(component) if meshed(component.setting) else None,
        pod_annotations=restart_on_change(*files.values()),
        namespace=home,
    )
    ports = [port("http", 80, PORT)]
    spec: Any = {"selector": component.selector(NAME), "ports": ports, "type": "ClusterIP"}
    Resource(component, SERVICE, NAME, spec=spec, labels=component.labels(NAME), namespace=home)
    _border(component, home)


def _pod(secrets: dict[str, SecretUse]) -> PodSpec:
    asked = {"administrator": ("accessKey", "secretKey"), "seed": ("seed",)}
    container: Container = {
        "name": "hook",
        "image": PYTHON,
        "command": [
            "python3",
            "-B",
            "/hook/hook.py",
            "/hook",
            "/run/keys",
            "/var/run/secrets/kubernetes.io/serviceaccount",
        ],
        "args": [str(PORT)],
        "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": http_probe("/healthz", "http"),
        "livenessProbe": http_probe("/healthz", "http", delay=10, period=20),
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": mounts({"hook": "/hook", **{each: f"/run/keys/{each}" for each in secrets}}, read_only=True),
    }
    return {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": bool(secrets),
        "enableServiceLinks": False,
        "securityContext": UNPRIVILEGED,
        "containers": [container],
        "volumes": [
            {"name": "hook", "configMap": {"name": NAME}},
            *(use.volume(each, *asked[each]) for each, use in secrets.items()),
        ],
    }


def _border(component: AnyKfp, home: str) -> None:
    """Metacontroller alone asks it: by its account in the mesh, by its pods where there are network policies."""
    asks = component.one(HookControllers).value
    if meshed(component.setting):
        source = {"source": {"principals": [asks.principal(component.one(Mesh).value.trust_domain)]}}
        to = {"operation": {"methods": ["POST"], "paths": ["/sync"]}}
        spec: Any = {"action": "ALLOW", "selector": {"matchLabels": component.selector(NAME)}}
        spec["rules"] = [{"from": [source], "to": [to]}]
        Resource(component, AUTHORIZATION_POLICY, NAME, spec=spec, namespace=home)
    if component.platform.network_policies:
        opened = [from_pods(asks.labels, PORT, namespace=asks.namespace)]
        if meshed(component.setting):
            opened.append(from_cluster(PROXY_METRICS[1]))
        NetworkPolicy(component, f"{NAME}-hook", openings=opened, workload=NAME, namespace=home)


def _controller(component: AnyKfp, made: list[dict[str, Any]], home: str) -> None:
    attachments: list[Attachment] = [
        {
            "apiVersion": version,
            "resource": PLURALS[kind],
            "updateStrategy": {"method": METHODS.get(kind, "InPlace")},  # type: ignore[typeddict-item]
        }
        for version, kind in kinds(made)
    ]
    own = [*homes(component)]
    Resource(
        component,
        DECORATOR_CONTROLLER,
        NAME,
        spec={
            "resources": [
                {
                    "apiVersion": "v1",
                    "resource": "namespaces",
                    "labelSelector": {
                        "matchLabels": {**REGISTERED},
                        **(
                            {
                                "matchExpressions": [
                                    {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": own}
                                ]
                            }
                            if own
                            else {}
                        ),
                    },
                }
            ],
            "attachments": attachments,
            "resyncPeriodSeconds": 3600,
            "hooks": {
                "sync": {
                    "webhook": {
                        "service": {"name": NAME, "namespace": home, "port": 80, "protocol": "http"},
                        "path": "/sync",
                        "timeout": "60s",  # the store may take its time until it knows a new key
                    }
                }
            },
        },
        part="after",
    )


def kinds(made: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What it makes, as apiVersion and kind."""
    return sorted({(each["apiVersion"], each["kind"]) for each in made})


def _rights(component: AnyKfp, made: list[dict[str, Any]]) -> None:
    """What Metacontroller may do for it: nothing with Secrets, and no role but these two is given to anyone."""
    asks = component.one(HookControllers).value
    found = [allow("", "namespaces", verbs=READ)]
    # An API server with OwnerReferencesPermissionEnforcement asks this of one who makes what a namespace owns.
    found.append(allow("", "namespaces/finalizers", verbs="update"))
    for version, kind in kinds(made):
        found.append(allow(version.rpartition("/")[0], PLURALS[kind], verbs="create delete get list update watch"))
    found.append(allow(RBAC_GROUP, "clusterroles", verbs="bind", names=f"{SHARED} {EDIT_ROLE}"))
    Resource(component, CLUSTER_ROLE, f"{NAME}-metacontroller", fields={"rules": found})
    Resource(
        component,
        CLUSTER_ROLE_BINDING,
        f"{NAME}-metacontroller",
        fields={
            "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": f"{NAME}-metacontroller"},
            "subjects": [{"kind": "ServiceAccount", "name": asks.account, "namespace": asks.namespace}],
        },
    )


@cache
def _program() -> str:
    return Path(__file__).with_name("namespace_hook.py").read_text()

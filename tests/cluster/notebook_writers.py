"""What Kubeflow's programs for profiles and notebooks write while they run: stand-ins, since no package registry has the programs.

Each function was read in the program's source, at the lines that it names, of kubeflow/dashboard v2.0.0, kubeflow/notebooks v1.11.0
and, for workspaces, v2.0.0-beta.0; paths are below `components/`. It says which calls the API server gets, in order, with the
variables of the program's own container.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.cluster.client import Manifest

Verb = Literal["create", "update", "patch", "delete", "get", "list", "watch"]
Variables = Mapping[str, str]
TEAM, OWNER, CONTRIBUTOR = "team-stand-in", "ada@example.com", "li@example.com"
NAME = "lab"
PORT, SERVED = 8888, 80
ROUTES = "networking.istio.io/v1alpha3"
FINALIZER = "profile-finalizer"


@dataclass(frozen=True)
class Call:
    """One call of the API server."""

    verb: Verb
    manifest: Manifest
    """The object; of one that is not created its key alone counts."""
    part: str = ""
    """Subresource."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """What an update or patch adds to what is stored."""
    also: tuple[str, str, str] | None = None
    """A further right (API group, resource, verb) without which the call is refused."""
    everywhere: bool = False
    """In all namespaces at once."""


def key(api: str, kind: str, name: str, namespace: str | None = TEAM) -> Manifest:
    """An object of which no more is said."""
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **place}}


def owned(item: Manifest, owner: Manifest) -> Manifest:
    """An object that goes with its owner, as controller-runtime's SetControllerReference has it."""
    metadata = owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {**item, "metadata": {**item["metadata"], "ownerReferences": [reference]}}


def kept(*kinds: Manifest) -> list[Call]:
    """What a controller lists and watches, in all namespaces, so that it can read it."""
    verbs: tuple[Verb, ...] = ("list", "watch")
    return [Call(verb, each, everywhere=True) for each in kinds for verb in verbs]


def route(name: str, prefix: str, host: str, gateway: str, *, rewrite: str, **more: object) -> Manifest:
    """A VirtualService for a path below which a Service answers."""
    destination = {"host": host, "port": {"number": SERVED}}
    made = {
        "match": [{"uri": {"prefix": prefix}}],
        "rewrite": {"uri": rewrite},
        "route": [{"destination": destination}],
    }
    spec = {"hosts": [more.pop("hosts", "*")], "gateways": [gateway], "http": [{**made, **more}]}
    return {**key(ROUTES, "VirtualService", name), "spec": spec}


def service(name: str, selector: Mapping[str, str], port: str, target: object) -> Manifest:
    """A Service with one port."""
    ports = [{"name": port, "port": SERVED, "targetPort": target, "protocol": "TCP"}]
    spec = {"type": "ClusterIP", "selector": dict(selector), "ports": ports}
    return {**key("v1", "Service", name), "spec": spec}


# --- profiles


def profile() -> Manifest:
    """What somebody writes."""
    hard = {"requests.nvidia.com/gpu": "2"}
    owner = {"kind": "User", "name": OWNER, "apiGroup": "rbac.authorization.k8s.io"}
    return {
        **key("kubeflow.org/v1", "Profile", TEAM, None),
        "spec": {"owner": owner, "resourceQuotaSpec": {"hard": hard}},
    }


def access(header: str, person: str, *principals: str) -> Manifest:
    """Who comes by these identities with a person's name (profile-controller/controllers/profile_controller.go:419,
    access-management/kfam/bindings.go:79)."""
    who = {"key": f"request.headers[{header}]", "values": [person]}
    return {"when": [who], "from": [{"source": {"principals": [*principals]}}]}


def policy_of_the_owner(variables: Variables, header: str) -> Manifest:
    """Who reaches what runs in a profile (profile-controller/controllers/profile_controller.go:419)."""
    doors = (variables["ISTIO_INGRESS_GATEWAY_PRINCIPAL"], variables["KFP_UI_PRINCIPAL"])
    culler = {"source": {"principals": [variables["NOTEBOOK_CONTROLLER_PRINCIPAL"]]}}
    rules = [
        access(header, OWNER, *doors),
        {"when": [{"key": "source.namespace", "values": [TEAM]}]},
        {"to": [{"operation": {"paths": ["/healthz", "/metrics", "/wait-for-drain"]}}]},
        {"from": [culler], "to": [{"operation": {"methods": ["GET"], "paths": ["*/api/kernels"]}}]},
    ]
    made = key("security.istio.io/v1beta1", "AuthorizationPolicy", "ns-owner-access-istio")
    made["metadata"]["annotations"] = {"user": OWNER, "role": "admin"}
    return {**made, "spec": {"action": "ALLOW", "rules": rules}}


def binding(name: str, role: str, subject: Manifest, noted: Variables | None = None) -> Manifest:
    """Who has a role in a profile."""
    made = key("rbac.authorization.k8s.io/v1", "RoleBinding", name)
    made["metadata"]["annotations"] = dict(noted or {})
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    return {**made, "roleRef": reference, "subjects": [subject]}


def person(name: str) -> Manifest:
    """A person, as a subject of a role."""
    return {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


def profile_controller(variables: Variables, labels: Mapping[str, str], header: str, stored: Manifest) -> list[Call]:
    """A namespace, its accounts and roles, its policy and its quota, and the finalizer that keeps the Profile until all is
    undone (profile-controller/controllers/profile_controller.go:105-330 and 754)."""
    home = key("v1", "Namespace", TEAM, None)
    home["metadata"] |= {"annotations": {"owner": OWNER}, "labels": {"istio-injection": "enabled", **labels}}
    quota = {**key("v1", "ResourceQuota", "kf-resource-quota"), "spec": profile()["spec"]["resourceQuotaSpec"]}
    accounts = {"default-editor": "kubeflow-edit", "default-viewer": "kubeflow-view"}
    finalizers = ("kubeflow.org", "profiles/finalizers", "update")
    bind = ("rbac.authorization.k8s.io", "clusterroles", "bind")

    def mine(item: Manifest) -> Manifest:
        return owned(item, stored)

    policy = policy_of_the_owner(variables, header)
    roles = [
        binding(name, role, {"kind": "ServiceAccount", "name": name, "namespace": TEAM})
        for name, role in accounts.items()
    ]
    own = binding("namespaceAdmin", "kubeflow-admin", person(OWNER), {"user": OWNER, "role": "admin"})
    return [
        *kept(stored, home, policy, key("v1", "ServiceAccount", "x"), own),
        Call("create", mine(home), also=finalizers),
        Call("update", home, changes={"metadata": {"labels": {"example.com/later": "yes"}}}),
        Call("create", mine(policy)),
        Call("update", policy, changes={"spec": {"action": "ALLOW"}}),
        *(Call("create", mine(key("v1", "ServiceAccount", name))) for name in accounts),
        *(Call("create", mine(each), also=bind) for each in (*roles, own)),
        Call("update", own, changes={"subjects": [person(CONTRIBUTOR)]}),
        Call("create", mine(quota)),
        Call("update", quota, changes={"spec": {"hard": {"requests.nvidia.com/gpu": "1"}}}),
        Call("delete", quota),
        Call("update", stored, changes={"metadata": {"finalizers": [FINALIZER]}}),
    ]


def access_management(variables: Variables, header: str) -> list[Call]:
    """A contributor comes and goes (access-management/kfam/bindings.go:61-175); `-` stands for all that is no letter."""
    name, noted = "user-li-example-com-clusterrole-edit", {"user": CONTRIBUTOR, "role": "edit"}
    doors = (variables["ISTIO_INGRESS_GATEWAY_PRINCIPAL"], variables["KFP_UI_PRINCIPAL"])
    role = binding(name, "kubeflow-edit", person(CONTRIBUTOR), noted)
    policy = key("security.istio.io/v1beta1", "AuthorizationPolicy", name)
    policy["metadata"]["annotations"] = noted
    policy["spec"] = {"rules": [access(header, CONTRIBUTOR, *doors)]}
    bind = ("rbac.authorization.k8s.io", "clusterroles", "bind")
    return [
        Call("get", key("kubeflow.org/v1beta1", "Profile", TEAM, None)),
        Call("create", role, also=bind),
        Call("create", policy),
        Call("get", policy),
        Call("delete", role),
        Call("delete", policy),
    ]


# --- notebooks


def notebook() -> Manifest:
    """What the jupyter web app makes, or somebody writes."""
    container = {"name": NAME, "image": "example.com/lab:1"}
    template = {"spec": {"serviceAccountName": "default-editor", "containers": [container]}}
    return {**key("kubeflow.org/v1beta1", "Notebook", NAME), "spec": {"template": template}}


def notebook_route(variables: Variables, name: str = NAME, home: str = TEAM) -> Manifest:
    """A notebook's route (notebook-controller/controllers/notebook_controller.go:471)."""
    prefix, host = f"/notebook/{home}/{name}/", f"{name}.{home}.svc.{variables['CLUSTER_DOMAIN']}"
    told = {"headers": {"request": {"set": {}}}, "hosts": variables["ISTIO_HOST"]}
    made = route(f"notebook-{home}-{name}", prefix, host, variables["ISTIO_GATEWAY"], rewrite=prefix, **told)
    made["metadata"]["namespace"] = home
    return made


def notebook_controller(variables: Variables, stored: Manifest) -> list[Call]:
    """A notebook's StatefulSet, Service and route, what it is told of them, and culling
    (notebook-controller/controllers/notebook_controller.go:90-240, 361-560; culling_controller.go:75-160)."""
    (container,) = stored["spec"]["template"]["spec"]["containers"]
    port = {"containerPort": PORT, "name": "notebook-port", "protocol": "TCP"}
    prefix = {"name": "NB_PREFIX", "value": f"/notebook/{TEAM}/{NAME}"}
    made = {**container, "workingDir": "/home/jovyan", "ports": [port], "env": [prefix]}
    group = {"securityContext": {"fsGroup": 100}} if variables["ADD_FSGROUP"] == "true" else {}
    pod = {**stored["spec"]["template"]["spec"], **group, "containers": [made]}
    labels = {"statefulset": NAME, "notebook-name": NAME}
    template = {"metadata": {"labels": labels, "annotations": {}}, "spec": pod}
    selector = {"matchLabels": {"statefulset": NAME}}
    spec = {"replicas": 1, "selector": selector, "serviceName": "", "template": template}
    sets = {**key("apps/v1", "StatefulSet", NAME), "spec": spec}
    front = service(NAME, {"statefulset": NAME}, f"http-{NAME}", PORT)
    way = notebook_route(variables)
    event = {
        **key("v1", "Event", f"{NAME}.17f"),
        "involvedObject": {"apiVersion": stored["apiVersion"], "kind": "Notebook", "name": NAME, "namespace": TEAM},
        "reason": "Created",
        "message": f"Reissued from pod/{NAME}-0: Created container {NAME}",
        "type": "Normal",
        "source": {"component": "notebook-controller"},
    }
    finalizers = ("kubeflow.org", "notebooks/finalizers", "update")
    now = "2026-01-01T00:00:00Z"
    active = {f"notebooks.kubeflow.org/{word}": now for word in ("last-activity", "last_activity_check_timestamp")}
    return [
        *kept(stored, sets, front, key("v1", "Pod", "x"), event, way),
        Call("create", owned(sets, stored), also=finalizers),
        Call("update", sets, changes={"spec": {"replicas": 0}}),
        Call("create", owned(front, stored)),
        Call("update", front, changes={"spec": {"selector": {"statefulset": NAME}}}),
        Call("create", owned(way, stored)),
        Call("update", way, changes={"spec": {"hosts": ["*"]}}),
        Call(
            "update",
            stored,
            part="status",
            changes={"status": {"conditions": [], "containerState": {}, "readyReplicas": 0}},
        ),
        Call("create", event),
        Call("patch", event, changes={"count": 2}),
        Call("update", stored, changes={"metadata": {"annotations": {**active, "kubeflow-resource-stopped": now}}}),
    ]


# --- viewers of volumes


def viewer(spec: Manifest) -> Manifest:
    """What the volumes web app makes of its template (crud-web-apps/volumes/backend/apps/common/viewer.py:18)."""
    return {**key("kubeflow.org/v1alpha1", "PVCViewer", NAME), "spec": spec}


def viewer_route(variables: Variables, networking: Manifest, name: str = NAME, home: str = TEAM) -> Manifest:
    """A viewer's route (pvcviewer-controller/controllers/pvcviewer_controller.go:252)."""
    own, prefix = f"pvcviewer-{name}", f"{networking['basePrefix']}/{home}/{name}/"
    rewrite = networking.get("rewrite") or prefix
    more = {"timeout": networking["timeout"]} if networking.get("timeout") else {}
    made = route(own, prefix, f"{own}.{home}.svc.cluster.local", variables["ISTIO_GATEWAY"], rewrite=rewrite, **more)
    made["metadata"]["namespace"] = home
    return made


def pvcviewer_controller(variables: Variables, stored: Manifest) -> list[Call]:
    """A viewer's Deployment, Service and route (pvcviewer-controller/controllers/pvcviewer_controller.go:149-400)."""
    own, networking = f"pvcviewer-{NAME}", stored["spec"]["networking"]
    labels = {
        f"app.kubernetes.io/{word}": text
        for word, text in (("name", NAME), ("instance", own), ("part-of", "pvc-viewer"))
    }
    template = {"metadata": {"labels": labels}, "spec": stored["spec"]["podSpec"]}
    spec = {"selector": {"matchLabels": labels}, "template": template, "strategy": {"type": "Recreate"}}
    pods = {**key("apps/v1", "Deployment", own), "spec": spec}
    front = service(own, labels, "http", networking["targetPort"])
    way = viewer_route(variables, networking)
    for each in (pods, front, way):
        each["metadata"]["labels"] = labels
    finalizers = ("kubeflow.org", "pvcviewers/finalizers", "update")
    url = f"{networking['basePrefix']}/{TEAM}/{NAME}/"
    return [
        *kept(stored, pods, front, way, key("v1", "Pod", "x"), key("v1", "PersistentVolumeClaim", "x")),
        Call("create", owned(pods, stored), also=finalizers),
        Call("update", pods, changes={"spec": {"replicas": 1}}),
        Call("create", owned(front, stored)),
        Call("update", front, changes={"spec": {"selector": labels}}),
        Call("create", owned(way, stored)),
        Call("update", way, changes={"spec": {"hosts": ["*"]}}),
        Call("update", stored, part="status", changes={"status": {"ready": False, "url": url}}),
    ]


# --- TensorBoards


def tensorboard() -> Manifest:
    """What the TensorBoards web app makes (crud-web-apps/tensorboards/backend/app/utils.py:31)."""
    return {**key("tensorboard.kubeflow.org/v1alpha1", "Tensorboard", NAME), "spec": {"logspath": "pvc://logs/run"}}


def tensorboard_route(variables: Variables, name: str = NAME, home: str = TEAM) -> Manifest:
    """A TensorBoard's route (tensorboard-controller/controllers/tensorboard_controller.go:321)."""
    told = {"timeout": "300s", "hosts": variables["ISTIO_HOST"]}
    prefix, host = f"/tensorboard/{home}/{name}/", f"{name}.{home}.svc.cluster.local"
    made = route(name, prefix, host, variables["ISTIO_GATEWAY"], rewrite="/", **told)
    made["metadata"]["namespace"] = home
    return made


def tensorboard_controller(variables: Variables, stored: Manifest) -> list[Call]:
    """A TensorBoard's Deployment, Service and route (tensorboard-controller/controllers/tensorboard_controller.go:66-400)."""
    mount = {"name": "tbpd", "readOnly": True, "mountPath": "/tensorboard_logs/", "subPath": "run"}
    container = {
        "name": "tensorboard",
        "image": variables["TENSORBOARD_IMAGE"],
        "imagePullPolicy": "IfNotPresent",
        "command": ["/usr/local/bin/tensorboard"],
        "workingDir": "/",
        "args": ["--logdir=/tensorboard_logs/", "--bind_all"],
        "ports": [{"containerPort": 6006}],
        "volumeMounts": [mount],
    }
    volume = {"name": "tbpd", "persistentVolumeClaim": {"claimName": "logs"}}
    pod = {"affinity": {}, "restartPolicy": "Always", "containers": [container], "volumes": [volume]}
    labels = {"app": NAME}
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    pods, way = {**key("apps/v1", "Deployment", NAME), "spec": spec}, tensorboard_route(variables)
    front = service(NAME, labels, f"http-{NAME}", 6006)
    claim = key("v1", "PersistentVolumeClaim", "logs")
    # Its Service has the name of a notebook's: two of one name in a namespace take it from each other.
    for each in (pods, front, way):
        each["metadata"]["name"] = f"{NAME}-board"
    finalizers = ("tensorboard.kubeflow.org", "tensorboards/finalizers", "update")
    return [
        *kept(stored, pods, front, way, key("v1", "Pod", "x"), claim),
        Call("get", claim),
        Call("create", owned(pods, stored), also=finalizers),
        Call("update", pods, changes={"spec": {"replicas": 1}}),
        Call("create", owned(front, stored)),
        Call("update", front, changes={"spec": {"selector": labels}}),
        Call("create", owned(way, stored)),
        Call("update", way, changes={"spec": {"hosts": ["*"]}}),
        Call("update", stored, part="status", changes={"status": {"conditions": [], "readyReplicas": 0}}),
    ]


# --- workspaces, a preview


WORKSPACE_NAME, WORKSPACE_SELECTOR = "notebooks.kubeflow.org/workspace-name", "statefulset"


def workspaces_controller(variables: Variables, stored: Manifest, kind: Manifest) -> list[Call]:
    """A workspace's account, StatefulSet, Service and route, and the finalizer of its kind
    (workspaces/controller/internal/controller/workspace_controller.go:139-600, 810-1420)."""
    own, labels = f"ws-{NAME}", {WORKSPACE_NAME: NAME}
    selector = {**labels, WORKSPACE_SELECTOR: NAME}
    template = kind["spec"]["podTemplate"]
    image = next(
        each["spec"]
        for each in template["options"]["imageConfig"]["values"]
        if each["id"] == stored["spec"]["podTemplate"]["options"]["imageConfig"]
    )
    ports = [
        {"name": f"http-{each['port']}", "containerPort": each["port"], "protocol": "TCP"} for each in image["ports"]
    ]
    container = {"name": "main", "image": image["image"], "ports": ports}
    account = key("v1", "ServiceAccount", own)
    account["metadata"]["labels"] = labels
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": selector},
        "serviceName": "",
        "template": {
            "metadata": {"labels": selector},
            "spec": {"serviceAccountName": own, "containers": [container]},
        },
    }
    sets = {**key("apps/v1", "StatefulSet", f"{own}-b2xv9"), "spec": spec}
    served = [
        {"name": f"http-{each['port']}", "port": each["port"], "targetPort": each["port"], "protocol": "TCP"}
        for each in image["ports"]
    ]
    front = {
        **key("v1", "Service", f"{own}-r7mq4"),
        "spec": {"type": "ClusterIP", "selector": selector, "ports": served},
    }
    way = workspace_route(variables, front["metadata"]["name"], image["ports"])
    for each in (sets, front, way):
        each["metadata"]["labels"] = labels
    finalizers = ("kubeflow.org", "workspaces/finalizers", "update")
    return [
        *kept(stored, kind, sets, front, account, way, key("v1", "Pod", "x"), key("v1", "Event", "x")),
        Call("update", kind, changes={"metadata": {"finalizers": ["notebooks.kubeflow.org/workspacekind-protection"]}}),
        Call("create", owned(account, stored), also=finalizers),
        Call("create", owned(sets, stored)),
        Call("update", sets, changes={"spec": {"replicas": 0}}),
        Call("create", owned(front, stored)),
        Call("update", front, changes={"spec": {"selector": selector}}),
        Call("create", owned(way, stored)),
        Call("update", way, changes={"spec": {"hosts": ["*"]}}),
        Call("update", stored, part="status", changes={"status": workspace_status(stored)}),
    ]


def workspace_status(stored: Manifest) -> Manifest:
    """What a workspace that has not begun is told (workspace_controller.go:1423-1500)."""
    chosen = stored["spec"]["podTemplate"]["options"]
    return {
        "activity": {"lastActivity": 0, "lastUpdate": 0},
        "lastRunningTime": 0,
        "pauseTime": 0,
        "pendingRestart": False,
        "podTemplateOptions": {name: {"desired": chosen[name]} for name in ("imageConfig", "podConfig")},
        "podTemplatePod": {"name": "", "nodeName": "", "serviceAccountName": f"ws-{NAME}"},
        "state": "Pending",
        "stateMessage": "Workspace is pending",
    }


def workspace_route(
    variables: Variables, service_name: str, ports: Sequence[Manifest], name: str = NAME, home: str = TEAM
) -> Manifest:
    """A workspace's route, one path for each port (workspace_controller.go:1294-1420)."""
    host = f"{service_name}.{home}.svc.{variables.get('CLUSTER_DOMAIN', 'cluster.local')}"
    paths = [
        {
            "match": [{"uri": {"prefix": f"/workspace/connect/{home}/{name}/{each['id']}/"}}],
            "route": [{"destination": {"host": host, "port": {"number": each["port"]}}}],
        }
        for each in ports
    ]
    spec = {"hosts": [variables["ISTIO_HOSTS"]], "gateways": [variables["ISTIO_GATEWAY"]], "http": paths}
    return {**key("networking.istio.io/v1", "VirtualService", f"ws-{name}-k4d8s", home), "spec": spec}


# --- web applications


def claim(name: str, size: str = "5Gi") -> Manifest:
    """A claim that a web application makes (crud-web-apps/volumes/backend/apps/common/form.py:22)."""
    resources = {"requests": {"storage": size}}
    return {
        **key("v1", "PersistentVolumeClaim", name),
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources},
    }


def asks(group: str, resource: str, verb: str) -> Call:
    """Whether a person may (crud-web-apps/common/backend/kubeflow/kubeflow/crud_backend/authz.py:40-80)."""
    attributes = {"group": group, "resource": resource, "verb": verb, "namespace": TEAM}
    review = key("authorization.k8s.io/v1", "SubjectAccessReview", "x", None)
    return Call("create", {**review, "metadata": {}, "spec": {"user": OWNER, "resourceAttributes": attributes}})


def jupyter_web_app(made: Manifest) -> list[Call]:
    """Its pages and its form (crud-web-apps/jupyter/backend/apps/common/routes/, apps/default/routes/post.py)."""
    pods, home, further = key("v1", "Pod", "x"), claim("lab-workspace"), notebook()
    further["metadata"]["name"] = "made"
    return [
        asks("kubeflow.org", "notebooks", "create"),
        Call("list", made),
        Call("get", made),
        Call("list", home),
        Call("list", key("kubeflow.org/v1alpha1", "PodDefault", "x")),
        Call("list", pods),
        Call("list", key("v1", "Event", "x")),
        Call("list", key("v1", "Node", "x", None)),
        Call("create", home),
        Call("create", further),
        Call(
            "patch", made, changes={"metadata": {"annotations": {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}}}
        ),
        Call("delete", further),
    ]


def volumes_web_app(spec: Manifest) -> list[Call]:
    """Its pages, claims and viewers (crud-web-apps/volumes/backend/apps/default/routes/)."""
    made, seen = claim("data"), viewer(spec)
    seen["metadata"]["name"] = "data"
    return [
        asks("", "persistentvolumeclaims", "create"),
        Call("list", made),
        Call("list", notebook()),
        Call("list", seen),
        Call("create", made),
        Call("get", made),
        Call("list", key("v1", "Pod", "x")),
        Call("list", key("v1", "Event", "x")),
        Call("create", seen),
        Call("delete", seen),
        Call("delete", made),
    ]


def tensorboards_web_app() -> list[Call]:
    """Its pages and TensorBoards (crud-web-apps/tensorboards/backend/app/routes/)."""
    made = tensorboard()
    made["metadata"]["name"] = "made"
    return [
        asks("tensorboard.kubeflow.org", "tensorboards", "create"),
        Call("list", made),
        Call("list", claim("x")),
        Call("list", key("kubeflow.org/v1alpha1", "PodDefault", "x")),
        Call("create", made),
        Call("delete", made),
    ]


Form = Callable[[Manifest, Mapping[str, Any]], None]


def spawned(config: Manifest, form: Mapping[str, Any]) -> tuple[Manifest, list[Manifest]]:
    """The Notebook and the claims that the jupyter web app makes of its configuration and a filled-in form
    (crud-web-apps/jupyter/backend/apps/default/routes/post.py:15-70, apps/common/form.py, apps/common/volumes.py)."""
    limits: dict[str, str] = {}
    requests = {"cpu": _said(config, form, "cpu"), "memory": _said(config, form, "memory")}
    for name, unit in (("cpu", ""), ("memory", "Gi")):
        factor = config[name].get("limitFactor")
        if factor != "none":
            limits[name] = f"{round(float(str(requests[name]).replace('Gi', '')) * float(factor), 1)}{unit}"
    gpus = _said(config, form, "gpus")
    if gpus["num"] != "none":
        limits[gpus["vendor"]] = str(gpus["num"])
    container: Manifest = {
        "name": NAME,
        "image": _said(config, form, "image").strip(),
        "imagePullPolicy": _said(config, form, "imagePullPolicy"),
        "env": [],
        "resources": {"requests": requests, "limits": limits},
        "volumeMounts": [],
    }
    pod: Manifest = {
        "serviceAccountName": "default-editor",
        "containers": [container],
        "volumes": [],
        "tolerations": [],
    }
    pod["tolerations"] += _chosen(config, form, "tolerationGroup", "groupKey").get("tolerations", [])
    if affinity := _chosen(config, form, "affinityConfig", "configKey").get("affinity"):
        pod["affinity"] = affinity
    if _said(config, form, "shm"):
        pod["volumes"].append({"name": "dshm", "emptyDir": {"medium": "Memory"}})
        container["volumeMounts"].append({"name": "dshm", "mountPath": "/dev/shm"})
    labels = {"app": NAME, **dict.fromkeys(_said(config, form, "configurations"), "true")}
    claims: list[Manifest] = []
    for volume in [*_said(config, form, "dataVolumes"), _said(config, form, "workspaceVolume")]:
        made, mounted = volume["newPvc"], volume["mount"]
        name = made["metadata"]["name"].replace("{notebook-name}", NAME)
        claims.append({**key("v1", "PersistentVolumeClaim", name), "spec": made["spec"]})
        pod["volumes"].append({"name": name, "persistentVolumeClaim": {"claimName": name}})
        container["volumeMounts"].append({"name": name, "mountPath": mounted})
    result = {**notebook(), "spec": {"template": {"spec": pod}}}
    result["metadata"] |= {"labels": labels, "annotations": {"notebooks.kubeflow.org/server-type": "jupyter"}}
    return result, claims


def _said(config: Manifest, form: Mapping[str, Any], name: str) -> Any:
    """A field as the form has it, or as the configuration says where it is read-only or not filled in."""
    default = config[name]["value"]
    return default if config[name].get("readOnly") else form.get(name, default)


def _chosen(config: Manifest, form: Mapping[str, Any], name: str, field_name: str) -> Manifest:
    """One of the options of a field, by its key; nothing where none is chosen."""
    wanted = _said(config, form, name)
    return next((each for each in config[name].get("options", []) if each[field_name] == wanted), {})

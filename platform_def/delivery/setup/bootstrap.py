"""What `platformctl bootstrap` tells the user: two ordered steps and one Secret, after which the engine does the rest.

Nothing here prints a credential or puts one on a command line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from platform_def.config.cluster import Delivery
from platform_def.config.words.registered import engines
from platform_def.delivery.comparisons import HARD, settings
from platform_def.delivery.gates import CONTENTS, NEEDS, ORDER
from platform_def.delivery.guarded import guarded
from platform_def.delivery.pods.definitions import NAME as DEFINITIONS
from platform_def.delivery.pods.injectors import NAME as INJECTORS
from platform_def.delivery.prerequisites import prerequisites
from platform_def.delivery.setup.credentials import for_argocd, for_flux
from platform_def.delivery.setup.people import kubectl_steps
from platform_def.delivery.target import BOOTSTRAP, Target, target
from platform_def.manifests.rendered import RenderedComponent, RenderedStack

_ARGOCD = "   # install Argo CD 3.2 or newer there: its manifests, its chart, or your distribution's"
_NEWER = "   # it is Argo CD 3.2 or newer"
_OWNER = "   # it is Flux 2.9 or newer, and its kustomize-controller has these flags:"
_CONTROLLER = "statefulset/argocd-application-controller"
_AGAIN = ", and tries again what comes too early"
_MORE = f"the policies {ORDER}, {CONTENTS} and {NEEDS}, and a marker in each part that waits"
_OTHER_FORM = {
    "gates": f"   `delivery: {{order: retries}}`, the default, does without {_MORE}.",
    "retries": f"   `delivery: {{order: gates}}` adds {_MORE}.",
}
_WITHOUT = """\
   No policies of the API server go along (`delivery: {policies: false}`): what they do is left to a person. A program
   that leaves `dist/` before its custom resources are gone is the first thing to look after.
"""
_SELECTOR = ",".join(f"{key}={value}" for key, value in BOOTSTRAP.items())


def bootstrap(stack: RenderedStack, delivery: Delivery) -> str:
    """The steps for a stack, as text with the commands; a stack without an engine raises ConfigError."""
    to = target(stack.name, delivery)
    argocd = delivery.engine == "argocd"
    own = engines()[delivery.engine].component in stack.components
    secret = list(for_argocd(to, own=own) if argocd else for_flux(to, delivery))
    engine = engines()[delivery.engine].title
    plain, policies = argocd and delivery.order == "retries", guarded(stack.platform, delivery)
    lines = [
        f"{engine} applies {to.folder()} to the cluster {stack.platform.cluster},",
        f"from {to.repository}, revision {to.revision}.",
        "Do this once, in this order, as an administrator of that cluster, at the top of the repository.",
        "",
        *_engine(stack, to, delivery.engine),
        "",
        *(f"   {line}".rstrip() for line in secret),
        "",
        *_wanted(stack),
        "2. Hand the repository over. Do this again whenever `delivery:` changes in the stack.",
        "",
        *_commands([_apply(to, argocd)]),
        "",
        *(_restart(to) if argocd and settings(policies=policies) and not own else ()),
        *(_policies(stack, _OTHER_FORM[delivery.order] if argocd else "") if delivery.policies else (_WITHOUT,)),
        f"From here on the engine brings everything else{_AGAIN if plain else ', in order'}. To watch it:",
        "",
        *_commands([f"kubectl -n {to.namespace} get {_watched(to, argocd)}"]),
        *kubectl_steps(stack.platform),
    ]
    return "\n".join(lines) + "\n"


def _policies(stack: RenderedStack, other_form: str) -> Iterator[str]:
    """What of the engine's objects concerns the whole cluster, where some owners allow no further policies."""
    policies = [item for item in stack.delivery if item.kind.endswith("AdmissionPolicy")]
    whose = {
        "and this one, about pods that a webhook of the stack must change:": INJECTORS,
        "and this one, about pods whose programs look for definitions only when they start:": DEFINITIONS,
    }
    own = [item for item in policies if item.name not in whose.values()]
    listed = {about: [item for item in policies if item.name == name] for about, name in whose.items()}
    for about, found in {"That holds these policies, about the engine's own objects alone:": own, **listed}.items():
        if found:
            yield from (f"   {about}", "")
            yield from (f"   * {item.kind} {item.name}" for item in found)
            yield ""
    if policies and other_form:
        yield from (other_form, "")


def _restart(to: Target) -> Iterator[str]:
    yield f"   Where there are no policies a setting stands for one of them: {HARD} in argocd-cm."
    yield "   The application controller reads it as it starts:"
    yield ""
    yield from _commands([f"kubectl -n {to.namespace} rollout restart {_CONTROLLER}"])
    yield ""


def _wanted(stack: RenderedStack) -> Iterator[str]:
    """What is not in Git and has to be there: without it a part waits, and with it all that need it."""
    wanted = [str(each) for each in prerequisites(stack)]
    ingress = stack.platform.ingress
    if (by := ingress.pooled) and not stack.platform.component(by.component):
        wanted.append(f"{by.title} with an address pool of {', '.join(ingress.addresses)}, for the gateway's Service")
    if ingress.kind == "cloud":
        wanted.append("something that gives LoadBalancer Services an address, for the gateway's Service")
    if wanted:
        yield "   See that the cluster has what the stack names and does not make. A namespace that such an object"
        yield "   lives in may be made now: the engine takes it over."
        yield ""
        yield from (f"   * {each}" for each in wanted)
        yield ""


def _commands(commands: list[str]) -> Iterator[str]:
    return (command if command.startswith("   # ") else f"   {command}" for command in commands)


def _watched(to: Target, argocd: bool) -> str:
    """Kinds of the objects that say how far the engine is."""
    if argocd:
        return "applications"
    return f"{'ocirepositories' if to.scheme == 'oci' else 'gitrepositories'},kustomizations"


def _apply(to: Target, argocd: bool) -> str:
    return f"{_server_side(argocd)} --recursive --selector {_SELECTOR} -f {to.folder('_delivery')}"


def _server_side(argocd: bool) -> str:
    # Under the engine's own field manager: it has applied them since, and what a later version leaves out is to leave.
    return f"kubectl apply --server-side --field-manager {'argocd' if argocd else 'kustomize'}-controller"


def _engine(stack: RenderedStack, to: Target, engine: str) -> Iterator[str]:
    """The first step: apply the stack's own folder, or install the engine by hand."""
    argocd, word = engine == "argocd", engines()[engine]
    title = word.title
    own, fact = stack.components.get(word.component), stack.platform.component(word.component)
    if fact is not None and fact.provided:
        yield f"1. See that {title} runs. The cluster has it already, and this step changes nothing of it."
        yield ""
        needs = [_NEWER] if argocd else [_OWNER, *(f"   #   {flag}" for flag in word.flags)]
        yield from _commands([*needs, *_waits(fact.namespace, argocd)])
        return
    yield f"1. {'Apply' if own else 'Install'} {title} in the namespace {to.namespace}."
    if own:
        yield from _of_the_stack(own, title)
    yield ""
    install = _own(own, to, argocd) if own else [_ARGOCD] if argocd else _flux(to)
    yield from _commands([f"kubectl create namespace {to.namespace}", *install, *_waits(to.namespace, argocd)])


def _own(engine: RenderedComponent, to: Target, argocd: bool) -> list[str]:
    """From the stack's own manifests, which hold what dist/ needs of the engine's configuration already.

    What comes after it, such as a route, needs others that the engine is to bring.
    """
    parts = (part for part in engine.parts if part != "after")
    return [f"{_server_side(argocd)} --recursive -f {to.folder(engine.name, part)}" for part in parts]


def _of_the_stack(engine: RenderedComponent, title: str) -> Iterator[str]:
    yield f"   It is a component of the stack: {title} takes over what is applied here, and keeps it as Git has it."
    if any(item.kind == "ServiceMonitor" for item in engine.objects):
        yield "   A cluster that serves no ServiceMonitors yet has kubectl say so; it applies the rest."


def _flux(to: Target) -> list[str]:
    return [
        f"flux install --namespace {to.namespace} --components source-controller,kustomize-controller",
        f"kubectl -n {to.namespace} patch deployment kustomize-controller --type json --patch '{_flags()}'",
    ]


def _waits(namespace: str, argocd: bool) -> list[str]:
    if argocd:
        workloads = ("deployment/argocd-repo-server", _CONTROLLER)
        return [f"kubectl -n {namespace} rollout status {each}" for each in workloads]
    return [f"kubectl -n {namespace} rollout status deployment/source-controller deployment/kustomize-controller"]


def _flags() -> str:
    """A JSON patch that adds Flux' flags."""
    at = "/spec/template/spec/containers/0/args/-"
    return json.dumps([{"op": "add", "path": at, "value": flag} for flag in engines()["flux"].flags])

"""What a kind is, in one sentence: as its types say it, else from the table here.

The table holds kinds whose CRDs carry no descriptions: those that only controllers write, and large ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from platform_def.crds.model import Api
from platform_def.crds.typed_dict import is_typed_dict


def summary(api: Api[Any]) -> str:
    """One sentence; empty for kinds of other packages whose types say nothing."""
    if api.doc:
        return api.doc
    own = (part.__doc__ for part in (api.top, api.spec) if is_typed_dict(part))
    said = next((doc for doc in own if doc), None)
    return inspect.cleandoc(said).partition("\n\n")[0].replace("\n", " ") if said else KINDS.get(api.crd_name, "")


KINDS: Mapping[str, str] = MappingProxyType(
    {
        # Addresses
        "configurationstates.metallb.io": "Whether one of MetalLB's programs could take its configuration.",
        "servicebgpstatuses.metallb.io": "The peers that a node tells of a Service.",
        "servicel2statuses.metallb.io": "The node that answers for a Service's address.",
        # Applications and GitOps
        "workflowartifactgctasks.argoproj.io": "Artifacts that a pod of Argo Workflows is to delete.",
        "workflowtaskresults.argoproj.io": "What one step of a workflow reports to the controller.",
        "workflowtasksets.argoproj.io": "Steps of a workflow that its agent runs, and their results.",
        "artifactgenerators.source.extensions.fluxcd.io": "Artifacts that Flux makes of parts of other sources.",
        "externalartifacts.source.toolkit.fluxcd.io": "An artifact that another controller than Flux's own made.",
        # Storage
        "cephconnections.csi.ceph.io": "How a Ceph cluster is reached.",
        "volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io": "Snapshots of volumes as they lie in the storage.",
        # Certificates, identity and secrets
        "certificaterequests.cert-manager.io": "A request to sign a certificate, made for a Certificate.",
        "orders.acme.cert-manager.io": "An order of a certificate at an ACME server.",
        "challenges.acme.cert-manager.io": "A proof to an ACME server that a name is ours.",
        "externalsecrets.external-secrets.io": "A Secret that is filled from a store outside of the cluster.",
        "clusterexternalsecrets.external-secrets.io": "An ExternalSecret in each namespace of a selector.",
        "secretstores.external-secrets.io": "A store of secrets outside of the cluster, for one namespace.",
        "clustersecretstores.external-secrets.io": "A store of secrets outside of the cluster, for all namespaces.",
        "pushsecrets.external-secrets.io": "A Secret of the cluster that is written to a store outside.",
        "clusterpushsecrets.external-secrets.io": "A PushSecret in each namespace of a selector.",
        "acraccesstokens.generators.external-secrets.io": "A token for the Azure container registry.",
        "beyondtrustworkloadcredentialsdynamicsecrets.generators.external-secrets.io": "Credentials of BeyondTrust.",
        "cloudsmithaccesstokens.generators.external-secrets.io": "A token for a Cloudsmith registry.",
        "clustergenerators.generators.external-secrets.io": "A generator that all namespaces may use.",
        "ecrauthorizationtokens.generators.external-secrets.io": "A token for the container registry of AWS.",
        "fakes.generators.external-secrets.io": "Fixed values, for trying things out.",
        "gcraccesstokens.generators.external-secrets.io": "A token for the container registry of Google Cloud.",
        "generatorstates.generators.external-secrets.io": "What a generator made, so that it can be withdrawn.",
        "githubaccesstokens.generators.external-secrets.io": "A token of a GitHub App.",
        "gitlabdeploytokens.generators.external-secrets.io": "A deploy token of GitLab.",
        "grafanas.generators.external-secrets.io": "A token of a Grafana service account.",
        "mfas.generators.external-secrets.io": "A one-time code for a login with two factors.",
        "passwords.generators.external-secrets.io": "A random password.",
        "quayaccesstokens.generators.external-secrets.io": "A token of a Quay robot account.",
        "sshkeys.generators.external-secrets.io": "A pair of SSH keys.",
        "stssessiontokens.generators.external-secrets.io": "A session token of AWS.",
        "uuids.generators.external-secrets.io": "A random UUID.",
        "vaultdynamicsecrets.generators.external-secrets.io": "A secret that Vault makes on demand.",
        "webhooks.generators.external-secrets.io": "A value that an HTTP service answers with.",
        # Gateways and meshes
        "devportals.getambassador.io": "A page that shows the documentation of services behind Emissary.",
        "kubernetesendpointresolvers.getambassador.io": "Emissary sends requests to the pods behind Services.",
        "kubernetesserviceresolvers.getambassador.io": "Emissary sends requests to Services themselves.",
        "xbackendtrafficpolicies.gateway.networking.x-k8s.io": "Retries and sessions of requests to a backend.",
        "xbackends.gateway.networking.x-k8s.io": "A backend outside of the cluster.",
        "xmeshes.gateway.networking.x-k8s.io": "A service mesh, and the controller that runs it.",
        "envoyfilters.networking.istio.io": "Changes to the configuration that Istio makes for Envoy.",
        "proxyconfigs.networking.istio.io": "Settings of the proxies beside workloads.",
        "workloadentries.networking.istio.io": "A workload outside of Kubernetes that belongs to the mesh.",
        "workloadgroups.networking.istio.io": "What workloads outside of Kubernetes have in common.",
        # Training, pipelines and serving
        "localmodelnodes.serving.kserve.io": "Models that a node keeps on its disk.",
        "certificates.networking.internal.knative.dev": "A certificate that Knative asks for.",
        "clusterdomainclaims.networking.internal.knative.dev": "A domain that a namespace may map to its services.",
        "images.caching.internal.knative.dev": "An image that nodes may fetch beforehand.",
        "ingresses.networking.internal.knative.dev": "Routes that Knative asks its network layer for.",
        "metrics.autoscaling.internal.knative.dev": "What Knative measures of a revision to scale it.",
        "podautoscalers.autoscaling.internal.knative.dev": "How a revision of Knative is scaled.",
        "serverlessservices.networking.internal.knative.dev": "Whether requests to a revision pass its activator.",
        # Queues and schedulers
        "workloads.kueue.x-k8s.io": "A job as Kueue sees it: what it needs, and whether it has been admitted.",
        "bindrequests.scheduling.run.ai": "A pod and the node that KAI chose for it, for its binder.",
        "colocationconfigurations.config.volcano.sh": "How Volcano's node agent treats pods that share a node.",
        "commands.bus.volcano.sh": "A command to a Volcano job or queue.",
        "nodeshards.shard.volcano.sh": "Nodes that one of several schedulers looks after.",
        "numatopologies.nodeinfo.volcano.sh": "The NUMA topology of a node, for Volcano.",
        # Nodes and monitoring
        "computedomains.resource.nvidia.com": "Nodes whose GPUs share memory over NVLink, for one workload.",
        "noderesourcetopologies.topology.node.k8s.io": "Which resources of a node lie close together.",
        "alertmanagerconfigs.monitoring.coreos.com": "Where alerts of a namespace are sent.",
        "probes.monitoring.coreos.com": "Addresses that are probed from outside.",
        "prometheusagents.monitoring.coreos.com": "An installation of Prometheus that only collects and forwards.",
        "scrapeconfigs.monitoring.coreos.com": "Targets of Prometheus that no Service or pod stands for.",
        "thanosrulers.monitoring.coreos.com": "An installation of Thanos Ruler.",
    }
)
"""By name of the CRD."""

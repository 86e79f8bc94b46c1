"""What MetalLB's programs may do, as upstream has it at v0.16.2."""

from __future__ import annotations

from platform_def.constructs import READ, allow

GROUP = "metallb.io"
CONTROLLER = "controller"
"""Upstream's name: the controller looks itself up by it."""
ALL = f"{READ} create delete patch update"
KINDS = "bfdprofiles bgpadvertisements bgppeers communities ipaddresspools l2advertisements"

CONTROLLER_RULES = (
    allow("", "secrets", verbs=ALL),  # the speakers' key, whose name is a flag, and the webhook's certificate
    allow("apps", "deployments", verbs="get", names=CONTROLLER),
    allow(GROUP, KINDS, verbs=READ),
    allow(GROUP, "ipaddresspools/status", verbs="update"),
)
SPEAKER_RULES = (
    allow(
        GROUP, "configurationstates configurationstates/status servicel2statuses servicel2statuses/status", verbs="*"
    ),
    allow("", "endpoints namespaces nodes services", verbs=READ),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("", "events", verbs="create patch"),
)
READER_RULES = (
    allow("", "pods", verbs="get list"),
    allow("", "configmaps secrets", verbs=READ),
    allow(GROUP, KINDS, verbs=READ),
    allow(GROUP, "servicebgpstatuses servicebgpstatuses/status", verbs="*"),  # upstream's
)

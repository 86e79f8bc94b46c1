"""Files in /etc by which the programs of a pod find each other, and the name that the pod has for itself."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.kubelet.names import DOMAIN
from tests.cluster.kubelet.network import GATEWAY, Place


def on_the_node(pod: Manifest) -> bool:
    """Whether a pod shares the network of its node."""
    return bool(pod["spec"].get("hostNetwork"))


def hostname(pod: Manifest) -> str:
    """What programs in a pod take for the name of their host."""
    if on_the_node(pod):
        return str(pod["spec"]["nodeName"])
    return str(pod["spec"].get("hostname", pod["metadata"]["name"]))[:63]


def etc_lines(pod: Manifest, place: Place, own: Path) -> list[str]:
    """Lines of `root.sh` for these files, which are laid below the pod's own folder."""
    namespace, name = pod["metadata"]["namespace"], hostname(pod)
    # By the first name a program finds what it is called for others.
    subdomain = pod["spec"].get("subdomain")
    names = [*([f"{name}.{subdomain}.{namespace}.svc.{DOMAIN}"] if subdomain else []), name]
    search = f"search {namespace}.svc.{DOMAIN} svc.{DOMAIN} {DOMAIN}"
    # On the node's network `ClusterFirst` means the node's name server, which knows no Services.
    of_cluster = not on_the_node(pod) or pod["spec"].get("dnsPolicy") == "ClusterFirstWithHostNet"
    # As Debian's installer gives a node its own name: no other node could reach what is offered under it.
    hosts = f"127.0.1.1 {name}" if on_the_node(pod) else f"{place.address} {' '.join(names)}"
    files = {
        "resolv.conf": f"nameserver {GATEWAY}\n{search}\noptions ndots:5 timeout:2\n" if of_cluster else "",
        "hosts": f"127.0.0.1 localhost\n{hosts}\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
        "hostname": f"{name}\n",
    }
    folder = own / "etc"
    folder.mkdir(exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text)
    return [f"file\t{folder / file}\t/etc/{file}" for file in files]

"""Words of stack files that are the SR-IOV network device plugin's."""

from platform_def.config.words.kinds import Words

WORDS = Words(notes={"Rdma.mode": "`sriov` needs multus, sriov-cni and sriov-network-device-plugin."})

"""Words of stack files that are the RDMA shared device plugin's."""

from platform_def.config.words.kinds import Words

WORDS = Words(
    notes={
        "Rdma.mode": "rdma-shared-device-plugin offers what is shared.",
        "Rdma.resource": "The component for it is rdma-shared-device-plugin.",
    }
)

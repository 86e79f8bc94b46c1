"""The shared RDMA device plugin: gives pods the InfiniBand or RoCE adapters of their node, many pods at a time."""

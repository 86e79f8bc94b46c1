"""The SR-IOV network device plugin: offers virtual functions of RDMA adapters, one at a time, as extended resources."""

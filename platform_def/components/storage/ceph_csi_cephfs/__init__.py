"""ceph-csi's CephFS driver: shared volumes (ReadWriteMany) on a Ceph cluster that exists, one class a storage entry."""

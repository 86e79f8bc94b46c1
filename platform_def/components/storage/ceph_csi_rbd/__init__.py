"""ceph-csi's RBD driver: block devices on a Ceph cluster that exists, one class a storage entry."""

"""csi-driver-nfs: a directory for each claim on NFS servers that exist, one class a storage entry."""

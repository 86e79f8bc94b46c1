"""local-path-provisioner: folders on the disks of nodes as volumes, one class a storage entry."""

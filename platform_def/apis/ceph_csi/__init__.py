"""Types of ceph-csi's operator."""

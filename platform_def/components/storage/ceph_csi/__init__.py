"""What ceph-csi's drivers share: releases, configuration, rights, pods."""

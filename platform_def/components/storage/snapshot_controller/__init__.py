"""snapshot-controller: binds VolumeSnapshots to what CSI drivers make, and brings their API; one a cluster."""

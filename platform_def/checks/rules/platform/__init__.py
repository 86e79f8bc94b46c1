"""What a GPU platform needs to hold: devices, pools, quotas."""

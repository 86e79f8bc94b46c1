"""tkestack's gpu-manager: divides the GPUs of pools with `sharing: {mode: vgpu}` by cores and memory."""

"""Components that offer GPUs, share them and measure them."""

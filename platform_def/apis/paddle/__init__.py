"""Types of PaddlePaddle's operator."""

"""Paddle operator 0.3: runs PaddleJob objects of group batch.paddlepaddle.org; legacy beside the training operator."""

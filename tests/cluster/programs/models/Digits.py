"""A model as Seldon's Python wrapper wants it: a class called as its file. It tells a digit by which tenth of the pixels is darkest."""

import numpy as np


class Digits:
    """Ten numbers, of which the highest is the digit."""

    def predict(self, pixels, names):
        """How much of the ink is in each tenth of an image."""
        assert len(names) == np.shape(pixels)[1], names
        tenths = np.array([[part.sum() for part in np.array_split(image, 10)] for image in np.asarray(pixels)])
        return tenths / tenths.sum(axis=1, keepdims=True)

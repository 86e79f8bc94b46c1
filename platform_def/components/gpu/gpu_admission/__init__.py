"""tkestack's gpu-admission: chooses a card for each pod with a part of a GPU, as the extender of a second scheduler."""

"""whereabouts gives the interfaces of pods addresses that are unique in the whole cluster, from ranges of networks."""

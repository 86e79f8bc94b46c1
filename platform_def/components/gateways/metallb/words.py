"""Words of stack files that are MetalLB's."""

from platform_def.config.words.kinds import BalancerWord, Words

METALLB = BalancerWord(word="metallb", title="MetalLB", pool_annotation="metallb.io/address-pool")
WORDS = Words(
    balancers=(METALLB,),
    notes={
        "Ingress.kind": "`metallb`: a LoadBalancer that MetalLB serves.",
        "Ingress.addresses": "The component `metallb` makes the pool; where the cluster has a MetalLB "
        "(`provided: true`) it must be there.",
    },
)

"""Words of stack files that are Argo CD's."""

from platform_def.config.words.kinds import EngineWord, Words

ENGINE = EngineWord(
    word="argocd",
    title="Argo CD",
    namespace="argocd",
    proven=("3.6.1", "3.3.4"),
    authorities="its ConfigMap argocd-tls-certs-cm: "
    "`components: {argo-cd: {certificates: …}}` where the stack brings it",
)
WORDS = Words(
    engines=(ENGINE,),
    notes={
        "Delivery.namespace": "Argo CD's is `argocd`.",
        "Delivery.interval_minutes": "Argo CD has its own setting.",
        "Delivery.order": "Argo CD's parts are Applications. `retries` is the simpler form, with which no stack that "
        "was tried with the real Argo CD needed a person or lost anything.",
        "Delivery.secret": "Argo CD finds its own by address.",
        "Delivery.ca_secret": "Argo CD looks it up by host.",
    },
)

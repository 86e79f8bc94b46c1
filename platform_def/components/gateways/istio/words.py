"""Words of stack files that are Istio's."""

from platform_def.config.words.kinds import Words

WORDS = Words(
    notes={
        "BackendAuthority.secret": "Istio reads `ca.crt` of one in the gateway's namespace.",
        "BackendTls.client_certificate": "With Istio it is the Secret of `ca`.",
    }
)

"""Words of stack files that are Emissary's."""

from platform_def.config.words.kinds import Words

WORDS = Words(
    notes={
        "BackendAuthority.secret": "Emissary reads `tls.crt` of one in the component's namespace.",
        "BackendAuthority.system": "Emissary has no word for these.",
        "BackendTls.any_name": "Emissary verifies no more than that, so it serves no route without this word.",
        "BackendTls.client_certificate": "Emissary verifies nothing while it has no certificate of its own.",
    }
)

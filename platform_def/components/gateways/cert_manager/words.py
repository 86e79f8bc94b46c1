"""Words of stack files that are cert-manager's."""

from platform_def.config.words.kinds import Words

WORDS = Words(notes={"Tls.issuer": "cert-manager signs by it."})

"""Words of stack files that are oauth2-proxy's."""

from platform_def.config.words.kinds import Words

WORDS = Words(notes={"Ingress.further_hosts": "oauth2-proxy sends browsers back to the host that they came from."})

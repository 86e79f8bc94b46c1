"""Words of stack files that are Flux'."""

from platform_def.config.words.kinds import EngineWord, Words

# Without the first flag a commit that repairs a part waits for the part's timeout; with the second parts follow on each
# other sooner than every 30 seconds. Both are the kustomize-controller's, which keeps the order: 1.9.5 in the release
# that is proven. The tests' source-controller, 1.9.3, is two patches older than the release's.
ENGINE = EngineWord(
    word="flux",
    title="Flux",
    namespace="flux-system",
    proven=("2.9.5",),
    flags=("--feature-gates=CancelHealthCheckOnNewRevision=true", "--requeue-dependency=5s"),
    order="`dependsOn`",
    needs_ssh_key=True,
)
WORDS = Words(
    engines=(ENGINE,),
    notes={
        "Delivery.namespace": "Flux' is `flux-system`.",
        "Delivery.order": "Flux has `dependsOn`, and takes no such word.",
        "Delivery.secret": "Flux reads it.",
        "Delivery.ca_secret": "Flux reads it; that of a Git host is in `secret`.",
        "Delivery.sops_keys": "Flux reads it; Argo CD decrypts nothing.",
        "SecretSource.sops": "Flux alone decrypts it.",
    },
)

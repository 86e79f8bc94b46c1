"""Leader election: the flag that turns it on, and the right to compete for the lease."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs.rbac import allow


@dataclass(frozen=True, kw_only=True)
class LeaderElection:
    """How the pods of a controller agree who works."""

    flag: str = "--leader-elect"
    """Flag that turns it on; empty where it is always on, or where a file of the controller's says so."""
    lease: str
    """Name of the Lease that they compete for, compiled into the program."""
    always: bool = False
    """It is on with one pod too, so that the rights are always needed."""
    role: str = ""
    """Name of the role; by default the account's with `-leader-election`."""

    config_map: bool = False
    """They lock a ConfigMap of that name as well: controller-runtime before 0.12."""

    def rules(self) -> tuple[PolicyRule, ...]:
        """Rights on the lease, and to tell of its changes. No rule can name what is yet to be made."""
        also = (
            allow("", "configmaps", verbs="create"),
            allow("", "configmaps", verbs="get patch update", names=self.lease),
        )
        return (
            *(also if self.config_map else ()),
            allow("coordination.k8s.io", "leases", verbs="create"),
            allow("coordination.k8s.io", "leases", verbs="get patch update", names=self.lease),
            allow("", "events", verbs="create patch"),
        )

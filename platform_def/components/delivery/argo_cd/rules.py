"""What each program may do, as upstream grants it; the application controller may do everything."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, LeaderElection, allow

GROUP = "argoproj.io"
KINDS = "applications applicationsets appprojects"
NOTIFICATIONS_SETTINGS, NOTIFICATIONS_SECRET = "argocd-notifications-cm", "argocd-notifications-secret"
REDIS_SECRET = "argocd-redis"  # noqa: S105 - its name, compiled in

# The interface sees and changes objects with these rights, after asking Argo CD's own policy for the person.
SERVER = (
    allow("*", "*", verbs="delete get patch"),
    allow("", "events", verbs="list"),
    allow("", "pods pods/log", verbs="get"),
    allow(GROUP, "applications applicationsets", verbs=READ),
    # Actions that make a Job of a CronJob, or a Workflow of a template.
    allow("batch", "jobs", verbs="create"),
    allow(GROUP, "workflows", verbs="create"),
)
# Some clusters require this for an object that blocks the deletion of its owner, as a Job does its CronJob's.
SERVER_FINALIZERS = (allow("*", "*/finalizers", verbs="update"),)
SERVER_HERE = (
    allow("", "configmaps secrets", verbs=WRITE),  # its settings, accounts, repositories, clusters
    allow(GROUP, KINDS, verbs=WRITE),
    allow("", "events", verbs="create list"),
)
APPLICATION_SETS = (
    allow(GROUP, "applications applicationsets applicationsets/finalizers", verbs=WRITE),
    allow(GROUP, "appprojects", verbs=READ),
    allow(GROUP, "applicationsets/status", verbs="get patch update"),
    allow("", "events", verbs="create get list patch watch"),
    allow("", "configmaps secrets", verbs=READ),  # clusters and credentials that generators go by
)
APPLICATION_SETS_ELECTION = LeaderElection(flag="", lease="58ac56fa.applicationsets.argoproj.io", always=True)
NOTIFICATIONS_HERE = (
    allow(GROUP, "applications appprojects", verbs=f"{READ} patch update"),
    allow("", "configmaps secrets", verbs="list watch"),
    allow("", "configmaps", verbs="get", names=NOTIFICATIONS_SETTINGS),
    allow("", "secrets", verbs="get", names=NOTIFICATIONS_SECRET),
)
REDIS_HERE = (allow("", "secrets", verbs="get", names=REDIS_SECRET), allow("", "secrets", verbs="create"))

"""A stand-in for the API server of Kubeflow Pipelines, which no package registry carries: the calls that it makes of Kubernetes
for a person, under its own account. File and line are those of KFP 2.17.0 (tag 2.17.0).
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.cluster.client import Api, Manifest, Reply

GROUP, VERSION, RUNS = "pipelines.kubeflow.org", "v1beta1", "runs"
"""backend/src/apiserver/common/const.go:19, 20 and 24."""


class RefusedError(Exception):
    """The person may not."""


@dataclass(frozen=True)
class PipelineServer:
    """The server, as far as Kubernetes sees it."""

    api: Api
    """The API server under the account `ml-pipeline`."""
    account: str
    """Account of runs: DEFAULTPIPELINERUNNERSERVICEACCOUNT of its Deployment."""

    def authorize(self, person: str, verb: str, namespace: str) -> None:
        """`canAccessRun`, backend/src/apiserver/server/run_server.go:647 to 685, which asks by `IsAuthorized`,
        backend/src/apiserver/resource/resource_manager.go:2612."""
        asked = {"group": GROUP, "version": VERSION, "resource": RUNS, "verb": verb, "namespace": namespace}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": person, "resourceAttributes": asked},
        }
        reply = self.api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        assert reply.status == 201, reply.message
        if not reply.body["status"]["allowed"]:
            raise RefusedError(f"{person} may not {verb} runs of {namespace}")

    def create_run(self, person: str, namespace: str, name: str) -> Reply:
        """`createRun`, run_server.go:153 to 157; the Workflow, resource_manager.go:735."""
        self.authorize(person, "create", namespace)
        template = {"name": "main", "container": {"image": "registry.example.com/tools:1", "command": ["true"]}}
        workflow = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"entrypoint": "main", "serviceAccountName": self.account, "templates": [template]},
        }
        return self.api.request("POST", workflows(namespace), workflow)

    def read_artifact(self, person: str, namespace: str, name: str) -> Reply:
        """Whether a run's artifact is given out, run_artifact_server.go:71; its Workflow, resource_manager.go:1109. The file
        itself is fetched with the server's own key."""
        self.authorize(person, "readArtifact", namespace)
        return self.api.get(f"{workflows(namespace)}/{name}")

    def terminate(self, person: str, namespace: str, name: str) -> Reply:
        """run_server.go:467; the patch, resource_manager.go:1054."""
        self.authorize(person, "terminate", namespace)
        patch: Manifest = {"spec": {"activeDeadlineSeconds": 0}}
        path = f"{workflows(namespace)}/{name}"
        return self.api.request("PATCH", path, patch, content="application/merge-patch+json")

    def delete_run(self, person: str, namespace: str, name: str) -> Reply:
        """run_server.go:345; the Workflow, resource_manager.go:939."""
        self.authorize(person, "delete", namespace)
        return self.api.request("DELETE", f"{workflows(namespace)}/{name}")

    def launcher(self, namespace: str) -> Reply:
        """Where artifacts of a namespace are, `LauncherConfigMapName` of backend/src/apiserver/plugins/config.go:32."""
        return self.api.get(f"/api/v1/namespaces/{namespace}/configmaps/kfp-launcher")


def workflows(namespace: str) -> str:
    """Where Workflows of a namespace are."""
    return f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/workflows"

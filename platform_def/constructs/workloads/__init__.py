"""Pods that a component runs: Deployments, StatefulSets, DaemonSets, Jobs and CronJobs, with what all of them get.

Authors write the pod in Kubernetes' own spelling; the construct adds the mirror's images, placement, resources, proxy
and authorities, labels and selectors, what high availability asks for, and what the stack says of this workload.
"""

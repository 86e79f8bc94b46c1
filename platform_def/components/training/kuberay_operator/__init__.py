"""KubeRay: runs RayCluster, RayJob and RayService objects as pods, and RayCronJob where its gate is on."""

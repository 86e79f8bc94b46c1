"""Components that give pods networks beside the cluster's own."""

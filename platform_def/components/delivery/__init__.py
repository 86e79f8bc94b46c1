"""Engines that bring dist/ to a cluster, delivered by themselves."""

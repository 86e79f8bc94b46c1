"""Flux: fetches a repository and applies what lies in it, in order; the engine of `delivery: {engine: flux}`."""

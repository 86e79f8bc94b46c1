"""What Kubernetes says of core types: names, schemas by version, what fields name. The types are in `apis/core`."""

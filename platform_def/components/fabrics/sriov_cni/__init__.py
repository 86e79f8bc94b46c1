"""The CNI plugins that move a virtual function into a pod, and the networks that pods of each pool ask for."""

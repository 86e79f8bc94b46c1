"""Types of app.k8s.io."""

"""oauth2-proxy: has people sign in before a request passes the gateway."""

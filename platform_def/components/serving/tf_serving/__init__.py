"""TensorFlow Serving: models of TensorFlow behind REST and gRPC."""

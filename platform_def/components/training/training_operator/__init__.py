"""Training operator v1: runs TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob and JAXJob as pods; 1.7.0 also MXJob."""

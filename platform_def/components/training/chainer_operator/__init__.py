"""Chainer operator: runs ChainerJob objects, a master and sets of workers over MPI; legacy, archived upstream."""

"""MPI operator v2: runs MPIJob objects, a launcher that reaches its workers over SSH with keys of the job's own."""

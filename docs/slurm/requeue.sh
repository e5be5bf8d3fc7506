#!/bin/bash
# A job that Slurm queues again after the failure of a node, and that queues itself again before its time limit.
# config.fti has [drumlin] requeue = yes, and the program asks shouldStop().
#SBATCH --nodes=4 --ntasks-per-node=2 --time=04:00:00
#SBATCH --requeue --open-mode=append
export UCX_ERROR_SIGNALS=
# Without --kill-on-bad-exit the step waits until the time limit when one rank is killed.
exec srun --mpi=pmix --kill-on-bad-exit=1 "$@"

#!/bin/bash
# A job that continues in its allocation after the failure of a node: one of the five nodes is spare.
#SBATCH --nodes=5 --ntasks-per-node=2 --time=04:00:00
#SBATCH --no-kill --open-mode=append
export UCX_ERROR_SIGNALS=
for ((try = 1; try <= 10; try++)); do
  srun --mpi=pmix --kill-on-bad-exit=1 --nodes=4 --ntasks=8 "$@"
  status=$?
  # 0: done; 75: stopped before the end of the allocation.
  if ((status == 0 || status == 75)); then exit "$status"; fi
  sleep 10
done
exit "$status"

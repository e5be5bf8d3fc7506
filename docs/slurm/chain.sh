#!/bin/bash
# A run that is longer than a time limit, as an array of jobs of which one runs at a time: each continues where the one
# before has stopped. When the run is done, the others end at once. CONFIG is the run's configuration file,
# DRUMLIN the command drumlin.
#SBATCH --nodes=4 --ntasks-per-node=2 --time=04:00:00
#SBATCH --array=1-10%1 --open-mode=append --output=chain.log
export UCX_ERROR_SIGNALS=
if [[ -e finished ]]; then exit 0; fi
srun --mpi=pmix --kill-on-bad-exit=1 "$@"
status=$?
# Open MPI 5 ends with 0 when a host is lost.
if ((status == 0)) && "${DRUMLIN:-$HOME/drumlin/bin/drumlin}" run ended "${CONFIG:-config.fti}"; then touch finished; fi
exit "$status"

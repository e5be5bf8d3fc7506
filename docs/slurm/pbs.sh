#!/bin/bash
# The same under PBS. It says the end itself: a node need not have a qstat. The tests do not run it. Queue it several
# times, each with -W depend=afterany:JOB: a job continues where the one before has stopped.
#PBS -l select=4:ncpus=2:mpiprocs=2 -l walltime=04:00:00
#PBS -r y -j oe
export DRUMLIN_END_TIME=$(($(date +%s) + 4 * 3600))
export UCX_ERROR_SIGNALS=
program=(java -cp app.jar:"$HOME"/drumlin/lib/drumlin-all.jar Main config.fti)
cd "$PBS_O_WORKDIR" || exit 1
if [[ -e finished ]]; then exit 0; fi
mpirun -x UCX_ERROR_SIGNALS -x DRUMLIN_END_TIME -n 8 "${program[@]}"
status=$?
# Open MPI 5 ends with 0 when a host is lost.
if ((status == 0)) && "$HOME"/drumlin/bin/drumlin run ended config.fti; then touch finished; fi
exit "$status"

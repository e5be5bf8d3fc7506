package io.drumlin.golden.fti;

import io.drumlin.golden.base.Json;

/**
 * The place of an application rank.
 *
 * @param mpiRank rank in the communicator given to FTI
 * @param node number of its node
 * @param appRank rank among the application ranks
 * @param sector number of its sector
 * @param group number of its group in the sector
 * @param groupRank rank in its group
 */
record Place(int mpiRank, int node, int appRank, int sector, int group, int groupRank) {

    static Place of(Json json) {
        return new Place(
                json.get("mpi_rank").integer(),
                json.get("node").integer(),
                json.get("app_rank").integer(),
                json.get("sector").integer(),
                json.get("group").integer(),
                json.get("group_rank").integer());
    }
}

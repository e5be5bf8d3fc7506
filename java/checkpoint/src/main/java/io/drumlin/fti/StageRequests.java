package io.drumlin.fti;

import io.drumlin.checkpoint.StageRequest;
import java.util.HashMap;
import java.util.Map;

/** The numbers under which C FTI knows files that are being sent. Not thread-safe. */
final class StageRequests {

    private final Map<Integer, StageRequest> byId = new HashMap<>();
    private int next;

    int add(StageRequest request) {
        byId.put(next, request);
        return next++;
    }

    /** Returns the state of a request. A final state is forgotten once it was returned. */
    int status(int id) {
        StageRequest request = byId.get(id);
        if (request == null) {
            return FTI.FTI_SI_NINI;
        }
        return switch (request.state()) {
            case PENDING -> FTI.FTI_SI_PEND;
            case ACTIVE -> FTI.FTI_SI_ACTV;
            case DONE -> ended(id, FTI.FTI_SI_SCES);
            case FAILED -> ended(id, FTI.FTI_SI_FAIL);
        };
    }

    private int ended(int id, int status) {
        byId.remove(id);
        return status;
    }
}

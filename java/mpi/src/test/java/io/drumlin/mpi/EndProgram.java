package io.drumlin.mpi;

import static io.drumlin.fti.FTI.FTI_Finalize;
import static io.drumlin.fti.FTI.FTI_Init;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.scr.SCR.SCR_Finalize;
import static io.drumlin.scr.SCR.SCR_Init;
import static io.drumlin.scr.SCR.SCR_SUCCESS;

import io.drumlin.comm.Communicators;
import java.io.IOException;

/**
 * A program ported from C that never ends MPI. Arguments: {@code fti} and the configuration file, or {@code scr}; and how it ends:
 * {@code return}, {@code throw}, {@code forget} to finalize, or {@code again}, which initializes and finalizes twice.
 */
public final class EndProgram {

    private EndProgram() {}

    public static void main(String[] args) throws IOException {
        String end = args[args.length - 1];
        once(args, !end.equals("forget"));
        if (end.equals("again")) {
            once(args, true);
        }
        if (end.equals("throw") && Communicators.world().rank() == 1) {
            throw new IllegalStateException("thrown by main");
        }
        System.out.println("main returns");
    }

    private static void once(String[] args, boolean finalizes) {
        if (args[0].equals("scr")) {
            require(SCR_Init() == SCR_SUCCESS);
            require(!finalizes || SCR_Finalize() == SCR_SUCCESS);
        } else {
            require(FTI_Init(args[1]) == FTI_SCES);
            require(!finalizes || FTI_Finalize() == FTI_SCES);
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("a call has failed");
        }
    }
}

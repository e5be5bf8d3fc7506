package io.drumlin.fti;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** docs/fti-call-table.md, for those who port a program. */
class CallTableTest {

    /** What fti.h and fti-ext.h of C FTI offer to programs, other than types. */
    private static final String NAMES_OF_C =
            """
            FTI_Init FTI_Status FTI_Finalize FTI_GetConfig FTI_InitType FTI_InitCompositeType FTI_AddScalarField
            FTI_AddVectorField FTI_Protect FTI_SetAttribute FTI_DefineDataset FTI_GetStoredSize FTI_Realloc
            FTI_setIDFromString FTI_getIDFromString FTI_BitFlip FTI_Checkpoint FTI_Recover FTI_RecoverVarInit FTI_RecoverVar
            FTI_RecoverVarFinalize FTI_Snapshot FTI_InitICP FTI_AddVarICP FTI_FinalizeICP FTI_InitGroup FTI_RenameGroup
            FTI_DefineGlobalDataset FTI_AddSubset FTI_UpdateGlobalDataset FTI_UpdateSubset FTI_RecoverDatasetDimension
            FTI_GetDatasetRank FTI_GetDatasetSpan FTI_GetStageDir FTI_SendFile FTI_GetStageStatus
            FTIX_CALLBACK FTIX_Stash FTIX_StashLoad FTIX_StashDrop FTIX_StashPush FTIX_StashPull
            FTIX_TopoGet_nbProc FTIX_TopoGet_nbNodes FTIX_TopoGet_myRank FTIX_TopoGet_masterGlobal FTIX_TopoGet_masterLocal
            FTIX_TopoGet_splitRank FTIX_TopoGet_nodeSize FTIX_TopoGet_nbHeads FTIX_TopoGet_nbApprocs FTIX_TopoGet_groupSize
            FTIX_TopoGet_sectorID FTIX_TopoGet_nodeID FTIX_TopoGet_groupID FTIX_TopoGet_amIaHead FTIX_TopoGet_headRank
            FTIX_TopoGet_headRankNode FTIX_TopoGet_nodeRank FTIX_TopoGet_groupRank FTIX_TopoGet_right FTIX_TopoGet_left
            FTIX_TopoGet_body FTIX_ExecGet_id FTIX_ExecGet_globalComm FTIX_ConfGet_blockSize FTIX_ConfGet_transferSize
            FTIX_ConfGet_ckptTag FTIX_ConfGet_stageTag FTIX_ConfGet_finalTag FTIX_ConfGet_generalTag FTIX_ConfGet_cfgFile
            FTIX_ConfGet_localDir FTIX_ConfGet_glbalDir FTIX_ConfGet_metadDir FTIX_ConfGet_lTmpDir FTIX_ConfGet_gTmpDir
            FTIX_ConfGet_mTmpDir FTIX_ConfGet_suffix
            FTI_SCES FTI_DONE FTI_NSCS FTI_NREC FTI_HEAD FTI_L1 FTI_L2 FTI_L3 FTI_L4 FTI_L1_DCP FTI_L2_DCP FTI_L3_DCP
            FTI_L4_DCP FTI_L4_H5_SINGLE FTI_CHAR FTI_SHRT FTI_INTG FTI_LONG FTI_UCHR FTI_USHT FTI_UINT FTI_ULNG FTI_SFLT
            FTI_DBLE FTI_LDBE FTI_IO_POSIX FTI_IO_MPI FTI_IO_FTIFF FTI_IO_SIONLIB FTI_IO_HDF5 FTI_IO_IME FTI_ATTRIBUTE_NAME
            FTI_ATTRIBUTE_DIM FTI_SI_NINI FTI_SI_PEND FTI_SI_ACTV FTI_SI_SCES FTI_SI_FAIL FTI_FS_LOCAL FTI_FS_GLOBAL
            FTI_BUFS FTI_WORD
            """;

    private static final Set<String> LISTED = new TreeSet<>();
    private static final Set<String> LISTED_AS_HERE = new TreeSet<>();

    @BeforeAll
    static void readTheTable() throws IOException {
        Path table = Path.of(System.getProperty("drumlin.root"), "docs", "fti-call-table.md");
        for (String line : Files.readAllLines(table)) {
            String[] columns = line.split("\\|");
            if (columns.length > 2) {
                Set<String> names = Pattern.compile("FTIX?_\\w+")
                        .matcher(columns[1])
                        .results()
                        .map(name -> name.group())
                        .collect(Collectors.toSet());
                LISTED.addAll(names);
                if (columns[2].trim().startsWith("yes")) {
                    LISTED_AS_HERE.addAll(names);
                }
            }
        }
    }

    @Test
    void everythingOfCIsListed() {
        assertThat(LISTED).containsExactlyInAnyOrder(NAMES_OF_C.trim().split("\\s+"));
    }

    @Test
    void whatIsListedAsHereIsHereAndNothingElse() {
        Stream<? extends Member> members = Stream.of(FTI.class, FTIX.class)
                .flatMap(facade ->
                        Stream.concat(Stream.of(facade.getDeclaredMethods()), Stream.of(facade.getDeclaredFields())));
        Set<String> here = members.filter(member -> Modifier.isPublic(member.getModifiers()))
                .map(Member::getName)
                // A constant in C, which needs no line.
                .filter(name -> !name.equals("FTI_COMM_WORLD"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(LISTED_AS_HERE).isEqualTo(here);
    }
}

package io.drumlin.checkpoint.levels;

import java.util.Map;

/** The levels with files that end as those of C FTI v1.4.1 to v1.6 do. */
class LayoutELevelsTest extends LevelsContract {

    @Override
    protected Map<String, String> mode() {
        return Map.of("drumlin.layout", "E", "drumlin.packing", "compact");
    }
}

package io.drumlin.checkpoint.levels;

import java.util.Map;

/** The levels with files that end as those of C FTI v1.1 do. */
class LayoutALevelsTest extends LevelsContract {

    @Override
    protected Map<String, String> mode() {
        return Map.of("drumlin.layout", "A", "drumlin.packing", "compact");
    }
}

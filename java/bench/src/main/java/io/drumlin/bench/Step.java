package io.drumlin.bench;

/** What a rank of {@link ScaleModel} does, apart from computing. */
sealed interface Step permits Call, FileOperation, FarMessages, Allocation {}

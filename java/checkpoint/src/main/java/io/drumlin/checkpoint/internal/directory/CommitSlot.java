package io.drumlin.checkpoint.internal.directory;

/** The places where a checkpoint of a level may lie after a kill, newest first. */
public enum CommitSlot {
    /** Not committed, and perhaps not whole. */
    TMP(0),
    /** In its place. */
    COMMITTED(1),
    /** Put aside for a newer checkpoint. */
    REPLACED(2);

    private final int age;

    CommitSlot(int age) {
        this.age = age;
    }

    /** Returns the age of the place: a checkpoint is older at a place with a higher age. */
    public int age() {
        return age;
    }
}

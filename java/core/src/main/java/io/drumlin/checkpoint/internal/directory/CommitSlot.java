package io.drumlin.checkpoint.internal.directory;

/** The places where a checkpoint of a level may be found after a kill, newest first. */
public enum CommitSlot {
    /** Written, perhaps not whole, not committed. */
    TMP(0),
    /** In its place. */
    COMMITTED(1),
    /** Put aside for a newer one. */
    REPLACED(2);

    private final int age;

    CommitSlot(int age) {
        this.age = age;
    }

    /** The more, the older is what is found there. */
    public int age() {
        return age;
    }
}

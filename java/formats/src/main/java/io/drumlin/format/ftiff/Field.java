package io.drumlin.format.ftiff;

/** The fields of FTI-FF records; docs/formats/fti-ff.md, section 5. No layout has all of them. */
enum Field {
    CHECKSUM("checksum"),
    MY_HASH("myHash"),
    CKPT_ID("ckptId"),
    CKPT_SIZE("ckptSize"),
    META_SIZE("metaSize"),
    DATA_SIZE("dataSize"),
    FS("fs"),
    MAX_FS("maxFs"),
    PT_FS("ptFs"),
    TIMESTAMP("timestamp"),
    MARK("mark"),

    NUMVARS("numvars"),
    DBSIZE("dbsize"),

    ID("id"),
    IDX("idx"),
    CONTAINER_ID("containerid"),
    HAS_CONTENT("hascontent"),
    HAS_CKPT("hasCkpt"),
    DPTR("dptr"),
    FPTR("fptr"),
    CHUNK_SIZE("chunksize"),
    CONTAINER_SIZE("containersize"),
    HASH("hash");

    private final String label;

    Field(String label) {
        this.label = label;
    }

    /** Returns the name in the format's description, in findings and in the tables of {@link Layout}. */
    String label() {
        return label;
    }

    static Field of(String label) {
        for (Field field : values()) {
            if (field.label.equals(label)) {
                return field;
            }
        }
        throw new IllegalArgumentException("no field " + label);
    }
}

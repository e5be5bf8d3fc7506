package io.drumlin.sion;

/** The ways in which the data of tasks get into a file and out of it. The bytes of the file are the same. */
public enum SionIo {
    /** Past the page cache, where chunks are aligned to 4096 bytes. */
    DIRECT,
    /** Through the page cache. */
    BUFFERED,
    /**
     * Through MPI-IO. Each rank opens the file with MPI and transfers its own chunks with {@code MPI_File_write_at} and
     * {@code MPI_File_read_at}; the metadata are written and read as always. Where MPI does not carry the messages of
     * the ranks (threads, one process without a communicator), or does not take a path because it is too long, this is
     * {@link #BUFFERED}.
     */
    MPI_IO
}

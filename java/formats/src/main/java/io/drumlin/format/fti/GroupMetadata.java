package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/**
 * The metadata file of a group in the modes POSIX and MPI-IO; docs/formats/fti-posix.md, section 3. Immutable.
 *
 * <p>Reading and writing take time in proportion to the number of variables.
 *
 * @param type whether the files hold all variables or layers of changes
 * @param ckptId id of the checkpoint
 * @param files one for each member of the group, in the order of their ranks in it
 * @param blocksDigested whether the digests of blocks in a file of all ranks are valid. C FTI leaves them meaningless;
 *     only Drumlin sets this. Striped digests are always valid
 * @param origin the checkpoint and group of the metadata; only in files of Drumlin, which then have a seal
 * @param release the release of C FTI that writes the same keys; the last one for files of Drumlin
 */
public record GroupMetadata(
        CkptType type,
        int ckptId,
        List<FileEntry> files,
        boolean blocksDigested,
        Optional<Origin> origin,
        Release release) {

    /** The format's name in messages. */
    public static final String FORMAT = "FTI metadata";

    /** Section with the values of the whole group. */
    static final String INFO = "ckpt_info";

    static final String TYPE = "ckpt_type";
    static final String CKPT_ID = "ckpt_id";

    /** Drumlin's own key; C FTI ignores it. */
    static final String BLOCKS_DIGESTED = "drumlin_blocks_digested";

    /** Value of that key if the digests are striped. A reader that does not know them refuses it. */
    static final int STRIPED = 2;

    /** Another key of Drumlin's own. These keys occur together, and with a seal. */
    static final String TIME = "drumlin_time";

    static final String IO_MODE = "drumlin_ckpt_io";
    static final String RANKS = "drumlin_nb_procs";
    static final String SECTOR = "drumlin_sector";
    static final String GROUP = "drumlin_group";

    /**
     * Copies the list.
     *
     * @param type the content of the files
     * @param ckptId id of the checkpoint
     * @param files one for each member
     * @param blocksDigested whether the checksums of blocks are valid
     * @param origin the checkpoint and group of the metadata
     * @param release the release of C FTI that writes the same keys
     */
    public GroupMetadata {
        files = List.copyOf(files);
        blocksDigested |= isStriped(files);
        release = blocksDigested || origin.isPresent() ? Release.V1_5 : release;
    }

    /** Returns whether the only digests are striped: of all files, or of none. */
    private static boolean isStriped(List<FileEntry> files) {
        return files.stream().anyMatch(FileEntry::isOnlyStriped);
    }

    /**
     * Makes metadata as C FTI writes them.
     *
     * @param type the content of the files
     * @param ckptId id of the checkpoint
     * @param files one for each member
     */
    public GroupMetadata(CkptType type, int ckptId, List<FileEntry> files) {
        this(type, ckptId, files, false, Optional.empty(), Release.V1_5);
    }

    /**
     * Makes metadata with the keys of the last release.
     *
     * @param type the content of the files
     * @param ckptId id of the checkpoint
     * @param files one for each member
     * @param blocksDigested whether the checksums of blocks are valid
     * @param origin the checkpoint and group of the metadata
     */
    public GroupMetadata(
            CkptType type, int ckptId, List<FileEntry> files, boolean blocksDigested, Optional<Origin> origin) {
        this(type, ckptId, files, blocksDigested, origin, Release.V1_5);
    }

    /**
     * Returns the suffix of partner copies and encoded files, which is that of the plain files since v1.4.
     *
     * @param suffix the suffix of plain files, without a dot
     * @return the suffix, without a dot
     */
    public String redundant(String suffix) {
        return release.compareTo(Release.V1_4) < 0 ? "fti" : suffix;
    }

    /**
     * Returns these metadata with other files.
     *
     * @param changed one for each member
     * @return a copy
     */
    public GroupMetadata withFiles(List<FileEntry> changed) {
        return new GroupMetadata(type, ckptId, changed, blocksDigested, origin, release);
    }

    /**
     * Returns these metadata with another value of {@code blocksDigested}.
     *
     * @param digested whether the checksums of blocks are valid
     * @return a copy
     */
    public GroupMetadata withBlocksDigested(boolean digested) {
        return new GroupMetadata(type, ckptId, files, digested, origin, release);
    }

    /**
     * Reads a file. Keys may be in any order; unknown ones are ignored.
     *
     * @param source the file
     * @return its content
     * @throws FormatException a key is missing or has an invalid value, or the seal is wrong; the field of the finding
     *     is {@code [section] key}
     * @throws IOException the source cannot be read
     */
    public static GroupMetadata read(ByteSource source) throws IOException {
        return new GroupMetadataReader(source).read();
    }

    /**
     * Writes the bytes that C FTI would write. Exceptions are Drumlin's own keys and values that C FTI's reader would
     * cut: docs/formats/fti-posix.md, section 8.
     *
     * @param target receives the bytes; it is neither flushed nor closed
     * @throws IllegalArgumentException a name has a line break, a NUL or a character above 0xFF, or has both quotes and
     *     needs them, or is longer than a line
     * @throws IOException the target cannot be written
     */
    public void write(OutputStream target) throws IOException {
        if (origin.isEmpty()) {
            writeSections(target, Optional.empty());
            return;
        }
        Seal.Output sealed = new Seal.Output(target);
        writeSections(sealed, origin);
        sealed.finish();
    }

    private void writeSections(OutputStream target, Optional<Origin> from) throws IOException {
        IniText text = new IniText();
        if (release != Release.V1_0) {
            text.beginSection(INFO);
            text.define(TYPE, type.label());
            text.define(CKPT_ID, ckptId);
        }
        if (blocksDigested) {
            text.define(BLOCKS_DIGESTED, isStriped(files) ? STRIPED : 1);
        }
        from.ifPresent(each -> define(text, each));
        if (release != Release.V1_0) {
            text.endSection();
        }
        for (int i = 0; i < files.size(); i++) {
            text.beginSection(Integer.toString(i));
            files.get(i).write(text, target, release);
            text.endSection();
        }
        if (from.isEmpty()) {
            // Otherwise the seal follows, which is a section too.
            text.end();
        }
        text.drainTo(target);
    }

    private static void define(IniText text, Origin origin) {
        text.define(TIME, origin.time());
        text.define(IO_MODE, origin.ioMode());
        text.define(RANKS, origin.ranks());
        text.define(SECTOR, origin.sector());
        text.define(GROUP, origin.group());
    }

    /**
     * Returns the name of a group's file.
     *
     * @param sector number of the sector, from 0
     * @param group number of the group in the sector, from 0
     * @return for example {@code sector0-group1.fti}
     */
    public static String fileName(int sector, int group) {
        return "sector" + sector + "-group" + group + ".fti";
    }
}

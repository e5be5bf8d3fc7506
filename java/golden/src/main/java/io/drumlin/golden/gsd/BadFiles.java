package io.drumlin.golden.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdFile;
import io.drumlin.gsd.Strictness;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Damaged files: opens each and reads from it, and compares errors with those of the C library. */
final class BadFiles {

    private final Path directory;
    private final Path scratch;
    private final Outcome outcome;
    private int refused;
    private int exact;
    private int opened;
    private int reads;

    BadFiles(Path directory, Path scratch, Outcome outcome) {
        this.directory = directory;
        this.scratch = scratch;
        this.outcome = outcome;
    }

    void compare(Json manifest) throws IOException {
        for (Json damaged : manifest.get("cases").list(each -> each)) {
            compareOne(damaged);
        }
        outcome.compared(refused + " damaged files are refused, each with the field's name, " + exact
                + " of them with that of the very field that was changed, " + opened
                + " are opened as the C library opens them, " + reads + " reads from those");
    }

    private void compareOne(Json damaged) throws IOException {
        String name = damaged.get("name").text();
        byte[] bytes = bytes(damaged);
        Path path = scratch.resolve(name + ".gsd");
        Files.write(path, bytes);
        String readWrite = damaged.has("expect_readwrite") ? "expect_readwrite" : "expect_readonly";
        compare(name, damaged, damaged.get("expect_readonly"), path, Access.READ);
        compare(name + " (rw)", damaged, damaged.get(readWrite), path, Access.READ_WRITE);
        outcome.same(
                name + ": changed by opening for writing",
                damaged.get("rw_open_close_changes_file").bool(),
                !Arrays.equals(bytes, Files.readAllBytes(path)));
        Files.delete(path);
    }

    private byte[] bytes(Json damaged) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.resolve(damaged.get("base").text()));
        if (damaged.has("patch")) {
            for (List<Json> patch : damaged.get("patch").list(each -> each.list(part -> part))) {
                byte[] patched = HexFormat.of().parseHex(patch.get(1).text());
                System.arraycopy(patched, 0, bytes, patch.get(0).integer(), patched.length);
            }
        }
        if (damaged.has("truncate_to")) {
            bytes = Arrays.copyOf(bytes, damaged.get("truncate_to").integer());
        }
        if (damaged.has("append_hex")) {
            byte[] more = HexFormat.of().parseHex(damaged.get("append_hex").text());
            int end = bytes.length;
            bytes = Arrays.copyOf(bytes, end + more.length);
            System.arraycopy(more, 0, bytes, end, more.length);
        }
        return bytes;
    }

    private void compare(String name, Json damaged, Json expected, Path path, Access access) throws IOException {
        String wanted = expected.get("open").text();
        if (wanted.equals("CRASH")) {
            wanted = damaged.get("recommended").text();
        }
        // As strict as C, which also makes a file of 2.0 one of 2.1 when it opens it.
        try (GsdFile file = GsdFile.at(path).strictness(Strictness.REFERENCE).open(access)) {
            outcome.same(name + ": open", wanted, "SUCCESS");
            outcome.same(name + ": frames", expected.get("nframes").number(), file.frameCount());
            outcome.same(
                    name + ": names",
                    expected.get("names").integer(),
                    file.names("").size());
            GsdMetadata metadata = GsdMetadata.read(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))));
            outcome.same(
                    name + ": entries",
                    expected.get("index_entries").number(),
                    metadata.index().used());
            for (List<Json> read : expected.get("reads").list(each -> each.list(part -> part))) {
                compareRead(name, file, read);
            }
            opened++;
        } catch (DrumlinException e) {
            outcome.same(name + ": open (" + e.getMessage() + ")", openError(wanted), code(e));
            refused++;
            if (e instanceof FormatException format) {
                exact += isChanged(damaged, format.finding().offset()) ? 1 : 0;
            } else {
                outcome.differs(name + ": no field is named: " + e.getMessage());
            }
        }
    }

    private static boolean isChanged(Json damaged, long offset) {
        return damaged.has("patch")
                && damaged.get("patch").list(each -> each.list(part -> part)).stream()
                        .anyMatch(patch -> patch.get(0).number() == offset);
    }

    /** Errors that the C library tells by other names: we say which field of the header is damaged. */
    private static String openError(String wanted) {
        return switch (wanted) {
            case "INVALID_ARGUMENT", "IO", "MEMORY_ALLOCATION_FAILED" -> "FILE_CORRUPT";
            default -> wanted;
        };
    }

    private void compareRead(String name, GsdFile file, List<Json> read) throws IOException {
        long frame = read.get(0).number();
        String chunkName = read.get(1).text();
        String wanted = read.get(2).text();
        String result;
        try {
            Optional<Chunk> chunk = file.findChunk(frame, chunkName);
            if (chunk.isEmpty()) {
                result = "NOT_FOUND";
            } else {
                chunk.get().read(ByteBuffer.allocate(Math.toIntExact(chunk.get().size())));
                // The C library does not read chunks without rows, which are not damaged.
                result = chunk.get().rows() == 0 ? "FILE_CORRUPT" : "SUCCESS";
            }
        } catch (FormatException e) {
            // An entry that cannot be: C finds it and then cannot read, or does not try.
            result = wanted.equals("IO") || wanted.equals("SKIPPED_HUGE") ? wanted : code(e);
        }
        outcome.same(name + ": read of " + chunkName + " in frame " + frame, wanted, result);
        reads++;
    }

    /** Returns the C library's name of the error that names a field. */
    static String code(DrumlinException e) {
        if (!(e instanceof FormatException format)) {
            return "IO";
        }
        return switch (format.finding().field()) {
            case "magic" -> "NOT_A_GSD_FILE";
            case "gsd_version" -> "INVALID_GSD_FILE_VERSION";
            default -> "FILE_CORRUPT";
        };
    }
}

package io.drumlin.golden.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.GsdFile;
import io.drumlin.gsd.Strictness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a manifest on a file of our own. */
final class CallSequence implements AutoCloseable {

    private final Path manifestDirectory;
    private final Path path;
    private final Strictness strictness;
    private final Outcome outcome;
    private @Nullable GsdFile file;

    CallSequence(Path manifestDirectory, Path path, Strictness strictness, Outcome outcome) {
        this.manifestDirectory = manifestDirectory;
        this.path = path;
        this.strictness = strictness;
        this.outcome = outcome;
    }

    /** A call that the library refuses makes the case fail, unless the manifest expects it. */
    void make(Json call) throws IOException {
        String expected = call.has("expect") ? call.get("expect").text() : "SUCCESS";
        String result = "SUCCESS";
        try {
            perform(call);
        } catch (IllegalArgumentException e) {
            result = "INVALID_ARGUMENT";
        } catch (DrumlinException e) {
            result = code(e);
        }
        if (!expected.equals(result)) {
            outcome.differs(String.valueOf(
                    call.wrong("gives " + result + " instead of " + expected).getMessage()));
        }
    }

    /** Returns the C library's name of an error. */
    private static String code(DrumlinException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("the name list is full")) {
            return "NAMELIST_FULL";
        } else if (message.contains("open for reading only")) {
            return e.operation().equals("upgrade") ? "INVALID_ARGUMENT" : "FILE_MUST_BE_WRITABLE";
        } else if (message.contains("not in the file yet")) {
            return "INVALID_ARGUMENT";
        }
        return e.errno() != null ? "IO" : BadFiles.code(e);
    }

    private void perform(Json call) throws IOException {
        switch (call.get("op").text()) {
            case "create" -> {
                create(call);
                close();
            }
            case "create_and_open" -> create(call);
            case "open" -> file = GsdFile.at(path).strictness(strictness).open(access(call));
            case "copy_from" -> copy(manifestDirectory.resolve(call.get("file").text()));
            case "close" -> close();
            case "kill" -> kill();
            case "end_frame" -> open().endFrame();
            case "flush" -> open().flush();
            case "truncate" -> open().truncate();
            case "upgrade" -> open().upgrade();
            case "chunk" -> chunk(call, name(call), Generator.of(call), 0, 0);
            case "empty_frames" -> endFrames(call.get("count").number());
            case "frames" -> frames(call);
            case "names" -> names(call);
            case "find" -> find(call);
            case "set_maximum_write_buffer_size" ->
                open().setMaximumWriteBufferSize(call.get("size").number());
            case "set_index_entries_to_buffer" ->
                open().setIndexEntriesToBuffer(call.get("number").number());
            default -> throw call.wrong("is an unknown call");
        }
    }

    private GsdFile open() {
        if (file == null) {
            throw new IllegalStateException("a call on a file that is not open");
        }
        return file;
    }

    private void create(Json call) throws IOException {
        GsdFile.Builder how = GsdFile.at(path).strictness(strictness);
        String application = call.get("application").text();
        String schema = call.get("schema").text();
        Version version = version(call.get("schema_version"));
        boolean exclusive = call.has("exclusive") && isTrue(call.get("exclusive"));
        file = exclusive ? how.createNew(application, schema, version) : how.create(application, schema, version);
    }

    private static boolean isTrue(Json flag) {
        return flag.isNumber() ? flag.number() != 0 : flag.bool();
    }

    static Version version(Json pair) {
        var parts = pair.list(Json::integer);
        return new Version(parts.get(0), parts.get(1));
    }

    private static Access access(Json call) {
        return switch (call.get("flags").text()) {
            case "rw" -> Access.READ_WRITE;
            case "append" -> Access.APPEND;
            case "ro" -> Access.READ;
            default -> throw call.wrong("has unknown flags");
        };
    }

    private void copy(Path original) throws IOException {
        Files.copy(original, path, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Acts like a kill: the run goes on with the bytes that are on disk now. */
    private void kill() throws IOException {
        Path survivor = path.resolveSibling(path.getFileName() + ".survivor");
        Files.copy(path, survivor, StandardCopyOption.REPLACE_EXISTING);
        close();
        Files.move(survivor, path, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String name(Json chunk) {
        if (chunk.has("name_repeat")) {
            Json repeat = chunk.get("name_repeat");
            return repeat.get("s").text().repeat(repeat.get("n").integer());
        }
        return chunk.get("name").text();
    }

    private static ElementType type(Json chunk) {
        String label = chunk.get("type").isNumber() ? "" : chunk.get("type").text();
        try {
            return ElementType.valueOf(label.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw chunk.get("type").wrong("is no element type");
        }
    }

    private void chunk(Json chunk, String name, Generator generator, long frame, long number) throws IOException {
        ElementType type = type(chunk);
        long rows = chunk.get("N").number();
        long columns = chunk.get("M").number();
        open().writeChunk(name, type, generator.data(type, rows * columns, frame, number), rows, columns);
    }

    private void endFrames(long count) throws IOException {
        for (long i = 0; i < count; i++) {
            open().endFrame();
        }
    }

    private void frames(Json call) throws IOException {
        long first = call.has("first") ? call.get("first").number() : 0;
        long count = call.get("count").number();
        long flushEvery = call.has("flush_every") ? call.get("flush_every").number() : 0;
        var chunks = call.get("chunks").list(FrameChunk::of);
        for (long frame = first; frame < first + count; frame++) {
            for (FrameChunk chunk : chunks) {
                if (chunk.isIn(frame)) {
                    chunk.write(open(), frame);
                }
            }
            open().endFrame();
            if (flushEvery > 0 && (frame - first + 1) % flushEvery == 0) {
                open().flush();
            }
        }
    }

    /** A chunk that many frames have. */
    private record FrameChunk(
            String name, ElementType type, long rows, long columns, Generator generator, long every, long phase) {

        static FrameChunk of(Json chunk) {
            return new FrameChunk(
                    CallSequence.name(chunk),
                    CallSequence.type(chunk),
                    chunk.get("N").number(),
                    chunk.get("M").number(),
                    Generator.of(chunk),
                    chunk.has("every") ? chunk.get("every").number() : 1,
                    chunk.has("phase") ? chunk.get("phase").number() : 0);
        }

        boolean isIn(long frame) {
            return frame % every == phase;
        }

        void write(GsdFile file, long frame) throws IOException {
            file.writeChunk(name, type, generator.data(type, rows * columns, frame, 0), rows, columns);
        }
    }

    private void names(Json call) throws IOException {
        long count = call.get("count").number();
        int width = call.has("width") ? call.get("width").integer() : 0;
        Generator generator = Generator.of(call);
        for (long k = 0; k < count; k++) {
            long j = (k * call.get("mul").number() + call.get("add").number()) % count;
            String number = String.valueOf(j);
            String name = call.get("prefix").text() + "0".repeat(Math.max(0, width - number.length())) + number;
            chunk(call, name, generator, 0, j);
        }
    }

    private void find(Json call) throws IOException {
        boolean found = open().findChunk(call.get("frame").number(), name(call)).isPresent();
        outcome.same("find " + name(call), isTrue(call.get("found")), found);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            GsdFile open = file;
            file = null;
            open.close();
        }
    }
}

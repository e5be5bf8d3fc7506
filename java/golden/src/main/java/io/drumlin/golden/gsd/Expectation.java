package io.drumlin.golden.gsd;

import io.drumlin.format.gsd.internal.GsdIndex;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.format.gsd.internal.Header;
import io.drumlin.format.gsd.internal.IndexEntry;
import io.drumlin.format.gsd.internal.NameList;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.Frame;
import io.drumlin.gsd.GsdFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The contents that a manifest says a file has. */
final class Expectation {

    private final Json expected;
    private final Outcome outcome;

    Expectation(Json expected, Outcome outcome) {
        this.expected = expected;
        this.outcome = outcome;
    }

    String open() {
        return expected.get("open_readonly").text();
    }

    /** Compares the bytes. */
    void compareBytes(String what, Path file) throws IOException {
        outcome.same(what + ": size", expected.get("file_size").number(), Files.size(file));
        outcome.same(what + ": sha256", expected.get("file_sha256").text(), Digests.of(file));
    }

    /** Compares everything that can be read. */
    void compareContents(String what, Path path) throws IOException {
        try (PathSource source = new PathSource(path);
                GsdFile file = GsdFile.open(path, Access.READ)) {
            GsdMetadata metadata = GsdMetadata.read(source);
            compareHeader(what, metadata.header());
            compareNames(what, metadata.names());
            compareIndex(what, metadata);
            outcome.same(what + ": frames", expected.get("nframes").number(), file.frameCount());
            compareChunks(what, file, metadata);
        }
    }

    /** The program that is in the header. */
    String application() {
        return expected.get("header").get("application").text();
    }

    private void compareHeader(String what, Header header) {
        Json wanted = expected.get("header");
        outcome.same(what + ": gsd_version", CallSequence.version(wanted.get("gsd_version")), header.gsdVersion());
        outcome.same(
                what + ": schema_version", CallSequence.version(wanted.get("schema_version")), header.schemaVersion());
        outcome.same(what + ": application", wanted.get("application").text(), header.application());
        outcome.same(what + ": schema", wanted.get("schema").text(), header.schema());
        outcome.same(what + ": index_location", wanted.get("index_location").number(), header.indexLocation());
        outcome.same(
                what + ": index_allocated_entries",
                wanted.get("index_allocated_entries").number(),
                header.indexAllocatedEntries());
        outcome.same(
                what + ": namelist_location", wanted.get("namelist_location").number(), header.namelistLocation());
        outcome.same(
                what + ": namelist_allocated_entries",
                wanted.get("namelist_allocated_entries").number(),
                header.namelistAllocatedEntries());
    }

    private void compareNames(String what, NameList names) {
        outcome.same(what + ": names", expected.get("names_count").integer(), names.size());
        MessageDigest digest = Digests.start();
        for (int id = 0; id < names.size(); id++) {
            digest.update(names.bytes(id));
            digest.update((byte) 0);
        }
        outcome.same(
                what + ": sha256 of the names", expected.get("names_sha256").text(), Digests.hex(digest));
    }

    private void compareIndex(String what, GsdMetadata metadata) throws IOException {
        GsdIndex index = metadata.index();
        outcome.same(what + ": index entries", expected.get("index_entries").number(), index.used());
        MessageDigest digest = Digests.start();
        ByteBuffer bytes = ByteBuffer.allocate(IndexEntry.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long slot = 0; slot < index.used(); slot++) {
            IndexEntry entry = index.slot(slot);
            bytes.clear()
                    .putLong(entry.frame())
                    .putLong(entry.rows())
                    .putLong(entry.location())
                    .putInt((int) entry.columns())
                    .putShort((short) entry.id())
                    .put((byte) entry.type())
                    .put((byte) entry.flags());
            digest.update(bytes.flip());
        }
        outcome.same(
                what + ": sha256 of the index", expected.get("index_sha256").text(), Digests.hex(digest));
    }

    private void compareChunks(String what, GsdFile file, GsdMetadata metadata) throws IOException {
        boolean sampled = expected.has("chunks_sample");
        List<List<Object>> wanted =
                expected.get(sampled ? "chunks_sample" : "chunks").list(chunk -> chunk.list(Expectation::plain));
        List<List<Object>> found = new ArrayList<>();
        MessageDigest digest = Digests.start();
        long number = 0;
        for (Frame frame : file.frames()) {
            for (Chunk chunk : frame.chunks()) {
                String data = digest(chunk);
                digest.update((frame.number() + "\t").getBytes(StandardCharsets.UTF_8));
                // A name that the C library cut may be no UTF-8.
                digest.update(
                        metadata.names().bytes(metadata.index().slot(number).id()));
                digest.update(String.join(
                                "\t",
                                "",
                                chunk.type().label(),
                                String.valueOf(chunk.rows()),
                                String.valueOf(chunk.columns()),
                                data + "\n")
                        .getBytes(StandardCharsets.UTF_8));
                if (found.size() < wanted.size()
                        && wanted.get(found.size()).get(0).equals(number)) {
                    found.add(Arrays.asList(
                            number,
                            frame.number(),
                            chunk.name(),
                            chunk.type().label(),
                            chunk.rows(),
                            chunk.columns(),
                            chunk.location(),
                            data));
                }
                number++;
            }
        }
        outcome.same(what + ": chunks", wanted.size(), found.size());
        for (int i = 0; i < Math.min(wanted.size(), found.size()); i++) {
            outcome.same(what + ": chunk " + i, wanted.get(i), found.get(i));
        }
        outcome.same(
                what + ": sha256 of all chunks", expected.get("chunks_sha256").text(), Digests.hex(digest));
    }

    private static Object plain(Json value) {
        return value.isText() ? value.text() : value.number();
    }

    private static String digest(Chunk chunk) throws IOException {
        ByteBuffer data = ByteBuffer.allocate(Math.toIntExact(chunk.size()));
        chunk.read(data);
        return Digests.of(data.array());
    }
}

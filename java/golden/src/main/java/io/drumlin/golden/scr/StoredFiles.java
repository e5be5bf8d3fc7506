package io.drumlin.golden.scr;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Every file of a case: whole, read as the tree that the manifest gives, and written again to equal bytes. */
final class StoredFiles {

    private final Path directory;
    private final Outcome outcome;
    private int trees;
    private int rewritten;
    private int refused;
    private int others;

    StoredFiles(Path directory, Outcome outcome) {
        this.directory = directory;
        this.outcome = outcome;
    }

    void compare(Json manifest) throws IOException {
        for (Map.Entry<String, Json> file :
                manifest.get("files").members(each -> each).entrySet()) {
            compare(file.getKey(), file.getValue(), manifest);
        }
        outcome.compared(trees + " kvtree files read, " + rewritten + " of them written again to equal bytes, "
                + refused + " damaged ones refused, " + others + " other files whole");
    }

    private void compare(String name, Json expected, Json manifest) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.resolve(name));
        outcome.same(name + ": bytes", expected.get("size").number(), (long) bytes.length);
        outcome.same(name + ": sha256", expected.get("sha256").text(), sha256(bytes));
        if (expected.has("expected")) {
            compareDamaged(name, expected.get("expected").text(), bytes);
        } else if (expected.has("tree")) {
            compareTree(name, Trees.of(expected.get("tree")), bytes, expected);
        } else if (expected.has("tree_in_file_order")) {
            compareInOrder(name, bytes, expected);
        } else if (manifest.has("tree") && name.endsWith(".scr")) {
            compareTree(name, Trees.of(manifest.get("tree")), bytes, expected);
        } else {
            others++;
        }
    }

    private void compareDamaged(String name, String expected, byte[] bytes) throws IOException {
        outcome.same(name + ": is to be refused", "reject", expected);
        try {
            KvTreeFile.read(source(bytes));
            outcome.differs(name + ": was read though damaged");
        } catch (FormatException e) {
            refused++;
        }
    }

    private void compareTree(String name, KvTree tree, byte[] bytes, Json expected) throws IOException {
        KvTreeFile file = KvTreeFile.read(source(bytes));
        trees++;
        outcome.same(name + ": tree", tree, file.tree());
        if (expected.has("kvtree_bytes")) {
            outcome.same(
                    name + ": bytes of the tree", expected.get("kvtree_bytes").integer(), file.length());
            outcome.same(
                    name + ": bytes of the payload",
                    expected.get("payload_bytes").number(),
                    (long) bytes.length - file.length());
        }
        compareRewritten(name, bytes, file);
    }

    private void compareRewritten(String name, byte[] bytes, KvTreeFile file) {
        ByteBuffer written = KvTreeFile.encode(file.tree(), file.flags());
        if (written.equals(ByteBuffer.wrap(bytes, 0, file.length()))) {
            rewritten++;
        } else {
            outcome.differs(name + ": written again, byte " + written.mismatch(ByteBuffer.wrap(bytes)) + " differs");
        }
    }

    private void compareInOrder(String name, byte[] bytes, Json expected) throws IOException {
        KvTreeFile file = KvTreeFile.read(source(bytes));
        trees++;
        if (expected.has("flags")) {
            outcome.same(name + ": flags", expected.get("flags").number(), Integer.toUnsignedLong(file.flags()));
        }
        boolean joined = expected.has("tree_as_read_by_library")
                && !expected.get("tree_as_read_by_library").isText();
        KvTree inFile = Trees.of(expected.get("tree_in_file_order"));
        KvTree asRead = joined ? Trees.of(expected.get("tree_as_read_by_library")) : inFile;
        outcome.same(name + ": tree", asRead, file.tree());
        if (!joined && bytes.length > 0) {
            outcome.same(name + ": keys in order", inOrder(inFile), inOrder(file.tree()));
            compareRewritten(name, bytes, file);
        }
    }

    private static List<Object> inOrder(KvTree tree) {
        List<Object> keys = new ArrayList<>();
        tree.entries().forEach((key, subtree) -> keys.add(List.of(key, inOrder(subtree))));
        return keys;
    }

    static MemoryByteSource source(byte[] bytes) {
        return new MemoryByteSource(ByteBuffer.wrap(bytes));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}

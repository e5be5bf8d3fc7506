package io.drumlin.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder with a configuration file and the directories that it names. */
record RunFolder(Path path) {

    static RunFolder create(Path path, int nodeSize, boolean keepsLast) throws IOException {
        for (String name : List.of("local", "global", "meta")) {
            Files.createDirectories(path.resolve(name));
        }
        Files.writeString(
                path.resolve("config.fti"),
                """
                [basic]
                head           = 0
                node_size      = %d
                group_size     = 1
                ckpt_dir       = %s
                glbl_dir       = %s
                meta_dir       = %s
                ckpt_io        = 3
                keep_last_ckpt = %d
                verbosity      = 2

                [restart]
                failure        = 0

                [advanced]
                block_size     = 1024
                transfer_size  = 16
                local_test     = 1
                """
                        .formatted(
                                nodeSize,
                                path.resolve("local"),
                                path.resolve("global"),
                                path.resolve("meta"),
                                keepsLast ? 1 : 0));
        return new RunFolder(path);
    }

    Path config() {
        return path.resolve("config.fti");
    }

    /** The value of [restart] failure. */
    int failure() throws IOException {
        return Files.readAllLines(config()).stream()
                .filter(line -> line.startsWith("failure"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf('=') + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    byte[] field() throws IOException {
        return Files.readAllBytes(path.resolve("field.f64"));
    }
}

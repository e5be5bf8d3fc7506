package io.drumlin.format.ftiff;

import io.drumlin.format.BoundedSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What a reader has to do with any bytes: a strict one refuses them with a {@link FormatException} or finds only chunks
 * within the file, a lenient one finds something wrong if and only if the strict one refuses, nothing else is thrown, no
 * more than a few times the file is read, and no more memory is taken than the file has bytes, plus 64 MiB.
 */
final class HostileFile {

    private HostileFile() {}

    /** Reads and verifies, and tells whether something is wrong with the file. */
    static boolean isDamaged(byte[] bytes) throws IOException {
        return BoundedSource.withinMemory(bytes, HostileFile::read);
    }

    private static boolean read(BoundedSource source) throws IOException {
        Optional<Recognition> recognition = Recognition.of(source);
        boolean refused = false;
        try {
            accept(source, FtiFfFile.read(source));
        } catch (FormatException e) {
            // A file of layout B may be shorter than it says, and what it lacks is where it should be.
            boolean mayEndEarly = recognition.isPresent() && recognition.get().layout() == Layout.B;
            require(e.offset() >= 0 && (mayEndEarly || e.offset() <= source.size()), e.getMessage());
            refused = true;
        }
        if (recognition.isEmpty()) {
            require(refused, "not recognised, but read");
            return true;
        }
        Findings findings = new Findings();
        FtiFfFile file = FtiFfFile.read(source, recognition.get(), findings);
        require(refused != findings.isEmpty(), "a strict reader does not agree with a lenient one");
        new FtiFfVerifier(source, file, new SequentialDigester()).verify(findings);
        return !findings.isEmpty();
    }

    /** Metadata without a fault: all lies within the file, is encoded to the same bytes, and a run can go on from it. */
    private static void accept(BoundedSource source, FtiFfFile file) throws IOException {
        Layout layout = file.layout();
        long limit = layout.atEnd() ? file.meta().dataSize() : file.meta().fs();
        file.containers()
                .forEach(container -> require(
                        container.chunkSize() >= 0
                                && container.chunkSize() <= container.containerSize()
                                && container.fptr() >= 0
                                && container.fptr() <= limit - container.containerSize()
                                && (container.chunkSize() == 0
                                        || container.fptr() <= source.size() - container.chunkSize())
                                && container.dptr() >= 0
                                && container.dptr() <= limit,
                        container + " is not within the file"));
        if (layout.atEnd() && !file.encoded()) {
            ByteBuffer metadata = ByteBuffer.allocate((int) file.meta().metaSize());
            layout.put(metadata, file.blocks(), file.meta());
            int defined = metadata.capacity() - 1;
            ByteBuffer stored = ByteBuffer.allocate(defined);
            source.readFully(file.meta().dataSize(), stored);
            require(stored.flip().equals(metadata.slice(0, defined)), "encoded to other bytes");
        }
        ContainerPlan plan = ContainerPlan.of(file.blocks(), Packing.ALIGNED);
        require(plan.next(plan.variables()).variables().equals(plan.variables()), "another plan");
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new AssertionError(otherwise);
        }
    }
}

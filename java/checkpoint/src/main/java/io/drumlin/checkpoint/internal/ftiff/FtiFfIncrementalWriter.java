package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkTarget;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The incremental writer of the mode FTI-FF. Known containers keep their places, and new containers follow in the order
 * in which the variables are added.
 */
final class FtiFfIncrementalWriter implements IncrementalWriter {

    private final ChunkTarget file;
    private final Md5Lanes md5 = DigestEngine.md5();
    private final Layout layout;
    private final ContainerPlan base;
    private final int fileRank;
    private final Map<Integer, ProtectedData> added = new LinkedHashMap<>();
    private final Map<Content, byte[]> written = new HashMap<>();
    private @Nullable Plan plan;

    /** The written content of a container, and its place. */
    private record Content(int id, int containerId, Chunk chunk) {

        static Content of(VariableMeta container, Chunk chunk) {
            return new Content(container.id(), container.containerId(), chunk);
        }
    }

    /** The places of all containers if the remaining variables are added in the listed order. */
    private record Plan(
            Map<Integer, ProtectedData> data, List<Integer> order, ContainerPlan containers, FilePlan filePlan) {

        boolean expects(int position, Map<Integer, ProtectedData> variables) {
            int end = position + variables.size();
            return end <= order.size()
                    && order.subList(position, end).equals(List.copyOf(variables.keySet()))
                    && variables.entrySet().stream().allMatch(each -> data.get(each.getKey()) == each.getValue());
        }
    }

    /**
     * @param base the containers of the run
     * @param fileRank the rank in the file's name
     */
    FtiFfIncrementalWriter(ChunkTarget file, Layout layout, ContainerPlan base, int fileRank) {
        this.file = file;
        this.layout = layout;
        this.base = base;
        this.fileRank = fileRank;
    }

    @Override
    public void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException {
        Plan now = plan(variables, all);
        List<VariableMeta> containers = new ArrayList<>();
        List<Chunk> chunks = new ArrayList<>();
        List<VariableMeta> contents = now.containers.chunks();
        for (int i = 0; i < contents.size(); i++) {
            if (variables.containsKey(contents.get(i).id())) {
                containers.add(contents.get(i));
                chunks.add(now.filePlan.chunks().get(i));
            }
        }
        file.allocate(chunks.stream()
                .mapToLong(chunk -> chunk.start() + chunk.length())
                .max()
                .orElse(0));
        List<byte[]> digests = file.write(now.filePlan.image(), chunks, md5);
        for (int i = 0; i < digests.size(); i++) {
            written.put(Content.of(containers.get(i), chunks.get(i)), digests.get(i));
        }
        file.awaitWrites();
        added.putAll(variables);
    }

    /**
     * Makes a new plan only if the variables do not come in the assumed order, because there may be thousands of them.
     */
    private Plan plan(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException {
        Plan known = plan;
        if (known != null && known.expects(added.size(), variables)) {
            return known;
        }
        Map<Integer, ProtectedData> data = new LinkedHashMap<>(added);
        data.putAll(variables);
        all.forEach(data::putIfAbsent);
        ContainerPlan next = next(data);
        FtiFfFilePlan filePlan = new FtiFfFilePlan(layout, next, data, 0, Stamp.unmarked(0));
        Plan made = new Plan(data, List.copyOf(data.keySet()), next, filePlan);
        plan = made;
        return made;
    }

    private ContainerPlan next(Map<Integer, ProtectedData> data) throws IOException {
        List<VariableSize> sizes = new ArrayList<>();
        data.forEach((id, variable) -> sizes.add(new VariableSize(id, variable.size())));
        try {
            return base.next(sizes);
        } catch (IllegalArgumentException e) {
            throw DrumlinException.during("laying out an incremental checkpoint")
                    .cause(e)
                    .exception();
        }
    }

    @Override
    public Map<Integer, ProtectedData> added() {
        return added;
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException {
        return new FtiFfFilePlan(layout, next(added), added, ckptId, Stamp.of(timestamp, ckptId, fileRank));
    }

    @Override
    public void finish(FilePlan filePlan, Seal seal) throws IOException {
        // Variables that are added later never move those added before.
        ContainerPlan containers = next(added);
        List<VariableMeta> contents = containers.chunks();
        List<byte[]> digests = new ArrayList<>();
        for (int i = 0; i < contents.size(); i++) {
            byte[] digest =
                    written.get(Content.of(contents.get(i), filePlan.chunks().get(i)));
            if (digest == null) {
                throw new IllegalStateException("variable " + contents.get(i).id() + " has moved since it was added");
            }
            digests.add(digest);
        }
        PlacedFile.of(layout, containers).blocks().stream()
                .flatMap(block -> block.variables().stream())
                .filter(container -> !container.hasContent())
                .forEach(container -> file.leave(container.fptr(), container.containerSize()));
        file.finish(seal.seal(digests), filePlan.size());
    }

    @Override
    public void close() throws IOException {
        md5.close();
        file.close();
    }
}

package io.drumlin.format.ftiff;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The location of every variable in the file: the containers of a run and their contents at one checkpoint. The rules
 * are in docs/formats/fti-ff.md, section 6.
 *
 * <p>Immutable and pure. {@link #next} makes the plan of the following checkpoint. Containers never move, shrink or
 * disappear while the same variables are protected.
 */
public final class ContainerPlan {

    /** Boundary in bytes of {@link Packing#ALIGNED} containers. */
    public static final int ALIGNMENT = 4096;

    /** A variable larger than this, in bytes, is split with {@link Packing#ALIGNED}. */
    static final long SPLIT_ABOVE = 2L << 20;

    /** Smallest size in bytes of a part of a split variable. */
    static final long MIN_PART = 1L << 20;

    /** Largest number of parts of a split variable: one for each MD5 lane. */
    static final int MAX_PARTS = 16;

    /** The arrangement of containers in the file. */
    public enum Packing {
        /** One container after the other, each with the current size of its chunk, as in C FTI. */
        COMPACT,
        /** Every container on a boundary of {@link #ALIGNMENT} bytes, and large variables in up to 16 containers. */
        ALIGNED
    }

    /**
     * A variable's size at a checkpoint.
     *
     * @param id id of the protected variable
     * @param size size in bytes, 0 or above
     */
    public record VariableSize(int id, long size) {}

    private final Packing packing;
    private final List<BlockMeta> blocks;
    private final long dataSize;

    private ContainerPlan(Packing packing, List<BlockMeta> blocks) {
        this.packing = packing;
        this.blocks = List.copyOf(blocks);
        long bytes = 0;
        for (BlockMeta block : blocks) {
            bytes += block.dbsize();
        }
        this.dataSize = bytes;
    }

    /**
     * Returns the plan before the first checkpoint of a run.
     *
     * @param packing the arrangement of containers
     * @return a plan without containers
     */
    public static ContainerPlan empty(Packing packing) {
        return new ContainerPlan(packing, List.of());
    }

    /**
     * Makes the plan of a recovered file, which {@link #next} continues. Its containers keep their sizes and their
     * order, whatever layout and packing wrote them. {@code hasCkpt} becomes true in all of them.
     *
     * @param blocks blocks of a file of any layout that was read strictly
     * @param packing the arrangement of new containers
     * @return a plan with the containers of the file
     */
    public static ContainerPlan of(List<BlockMeta> blocks, Packing packing) {
        List<BlockMeta> recovered = new ArrayList<>(blocks.size());
        long fptr = 0;
        for (BlockMeta block : blocks) {
            long start = fptr;
            List<VariableMeta> variables = new ArrayList<>();
            for (VariableMeta container : block.variables()) {
                variables.add(container.withCheckpoint(fptr));
                fptr += container.containerSize();
            }
            recovered.add(new BlockMeta(variables, fptr - start));
        }
        return new ContainerPlan(packing, recovered);
    }

    /**
     * Makes the plan of a checkpoint. It fills existing containers first. Data that do not fit get new containers, all
     * of them in one new block. If a variable of this plan is missing in {@code sizes}, nothing of the plan is kept and
     * all variables are laid out again, because a reader counts every id in the file as a protected variable.
     *
     * @param sizes all protected variables in the order of their first protection, each id once
     * @return the plan. New containers have zero digests and others keep theirs until {@link #withHashes}
     */
    public ContainerPlan next(List<VariableSize> sizes) {
        Map<Integer, Filling> fillings = fillings(sizes);
        if (!fillings.keySet().containsAll(ids())) {
            return empty(packing).next(sizes);
        }
        List<BlockMeta> next = new ArrayList<>();
        for (BlockMeta block : blocks) {
            List<VariableMeta> variables = new ArrayList<>();
            for (VariableMeta container : block.variables()) {
                variables.add(filling(fillings, container.id()).fill(container));
            }
            next.add(new BlockMeta(variables, block.dbsize()));
        }
        List<VariableMeta> added = newContainers(fillings);
        if (!added.isEmpty()) {
            long bytes = 0;
            for (VariableMeta container : added) {
                bytes += container.containerSize();
            }
            next.add(new BlockMeta(added, bytes));
        }
        return new ContainerPlan(packing, next);
    }

    private static Map<Integer, Filling> fillings(List<VariableSize> sizes) {
        Map<Integer, Filling> fillings = new LinkedHashMap<>();
        long total = 0;
        for (VariableSize size : sizes) {
            if (size.size() < 0 || size.size() > Long.MAX_VALUE / 4 - total) {
                throw new IllegalArgumentException("variable " + size.id() + " has " + size.size()
                        + " bytes, allowed are 0 or more and less than 2^61 for all variables together");
            }
            total += size.size();
            if (fillings.put(size.id(), new Filling(size.size())) != null) {
                throw new IllegalArgumentException("variable " + size.id() + " is named twice");
            }
        }
        return fillings;
    }

    private static Filling filling(Map<Integer, Filling> fillings, int id) {
        Filling filling = fillings.get(id);
        if (filling == null) {
            throw new IllegalStateException("no size for variable " + id);
        }
        return filling;
    }

    private Set<Integer> ids() {
        return BlockMeta.sizes(blocks).keySet();
    }

    private List<VariableMeta> newContainers(Map<Integer, Filling> fillings) {
        List<VariableMeta> added = new ArrayList<>();
        long fptr = dataSize;
        for (Map.Entry<Integer, Filling> entry : fillings.entrySet()) {
            Filling filling = entry.getValue();
            if (filling.placed) {
                continue;
            }
            for (long containerSize : containerSizes(filling.rest, fptr)) {
                added.add(filling.fill(new VariableMeta(
                        entry.getKey(),
                        VariableMeta.NO_IDX,
                        filling.containers,
                        true,
                        false,
                        filling.reserved,
                        fptr,
                        0,
                        containerSize,
                        VariableMeta.NO_HASH)));
                fptr += containerSize;
            }
        }
        return added;
    }

    /** Returns the sizes of the new containers for {@code bytes} from {@code fptr} on; together they hold all bytes. */
    private List<Long> containerSizes(long bytes, long fptr) {
        if (packing == Packing.COMPACT || bytes == 0) {
            return List.of(bytes);
        }
        List<Long> sizes = new ArrayList<>();
        long rest = bytes;
        long toBoundary = alignUp(fptr) - fptr;
        if (toBoundary > 0) {
            // This happens only after a compact file. A short container brings the following ones back to the boundary.
            sizes.add(toBoundary);
            rest -= Math.min(rest, toBoundary);
        }
        if (rest > 0) {
            long parts = rest > SPLIT_ABOVE ? Math.min(MAX_PARTS, rest / MIN_PART) : 1;
            long part = alignUp((rest + parts - 1) / parts);
            for (long i = 0; i < parts; i++) {
                sizes.add(part);
            }
        }
        return sizes;
    }

    private static long alignUp(long value) {
        return (value + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /**
     * Returns the blocks of the file to be written.
     *
     * @return blocks in file order
     */
    public List<BlockMeta> blocks() {
        return blocks;
    }

    /**
     * Returns the containers that have content, which must be written and digested.
     *
     * @return containers in file order
     */
    public List<VariableMeta> chunks() {
        return BlockMeta.chunks(blocks);
    }

    /**
     * Returns the variables with their sizes.
     *
     * @return variables in the order of their first container
     */
    public List<VariableSize> variables() {
        List<VariableSize> variables = new ArrayList<>();
        for (Map.Entry<Integer, Long> size : BlockMeta.sizes(blocks).entrySet()) {
            variables.add(new VariableSize(size.getKey(), size.getValue()));
        }
        return variables;
    }

    /**
     * Returns the offset of the metadata.
     *
     * @return size of all containers in bytes
     */
    public long dataSize() {
        return dataSize;
    }

    /**
     * Returns the size of block, variable and file metadata in layout F.
     *
     * @return size in bytes
     */
    public long metaSize() {
        return Layout.F.metaSize(blocks);
    }

    /**
     * Returns this plan with the digests of the written data.
     *
     * @param digests MD5 of each of {@link #chunks()}, 16 bytes, in the same order
     * @return a copy; containers without content keep their digest
     */
    public ContainerPlan withHashes(List<byte[]> digests) {
        int chunks = chunks().size();
        if (digests.size() != chunks) {
            throw new IllegalArgumentException(digests.size() + " digests for " + chunks + " chunks");
        }
        var remaining = digests.iterator();
        List<BlockMeta> hashed = new ArrayList<>(blocks.size());
        for (BlockMeta block : blocks) {
            List<VariableMeta> variables = new ArrayList<>();
            for (VariableMeta container : block.variables()) {
                variables.add(
                        container.hasContent()
                                ? container.withHash(HexFormat.of().formatHex(remaining.next()))
                                : container);
            }
            hashed.add(new BlockMeta(variables, block.dbsize()));
        }
        return new ContainerPlan(packing, hashed);
    }

    /** The rest of one variable that needs containers, and the containers visited so far. */
    private static final class Filling {

        private long rest;
        private boolean placed;
        private int containers;
        private long reserved;

        Filling(long size) {
            this.rest = size;
        }

        VariableMeta fill(VariableMeta container) {
            containers++;
            reserved += container.containerSize();
            if (placed) {
                return container.withoutContent();
            }
            long chunkSize = Math.min(rest, container.containerSize());
            rest -= chunkSize;
            placed = rest == 0;
            return container.withContent(chunkSize);
        }
    }
}

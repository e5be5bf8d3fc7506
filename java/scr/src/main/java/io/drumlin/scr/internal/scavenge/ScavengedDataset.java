package io.drumlin.scr.internal.scavenge;

import io.drumlin.DrumlinException;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.CachedFile;
import io.drumlin.scr.internal.index.ListedFiles;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.redundancy.DatasetDirectory;
import io.drumlin.scr.internal.redundancy.Redundancy;
import io.drumlin.scr.internal.redundancy.RedundancySet;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A dataset that was saved from the caches of a job that died. It has the files of the surviving nodes and the
 * redundancy data for those of the lost nodes (docs/formats/scr.md, section 12). Not thread-safe.
 */
final class ScavengedDataset {

    private static final Pattern MAP = Pattern.compile("filemap_(\\d{1,9})");
    private static final Pattern SET = Pattern.compile(
            "(?<family>reddesc|reddescmap)\\.er\\.(?<rank>\\d{1,9})\\.(?<set>(?:partner|xor|rs|single)\\.grp_\\d+_of_\\d+)\\.mem_\\d+_of_\\d+\\.redset");

    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final Path recorded;
    private final Path directory;
    private final ListedFiles listed;

    /** The members of each set from its headers, by family and set, then by rank in the set. */
    private final SortedMap<String, SortedMap<Integer, KvTree>> sets = new TreeMap<>();

    /** The files of each rank, under their names in the cache. */
    private final NavigableMap<Integer, KvTree> maps = new TreeMap<>();

    /** The ranks whose own redundancy data for their files were saved. */
    private final SortedSet<Integer> saved = new TreeSet<>();

    private final int ranks;

    /**
     * Examines the saved files.
     *
     * @param recorded the path that the files record for the prefix directory; it differs only if the directory was
     *     moved
     * @param directory the directory of the dataset's metadata
     * @param listed the files that belong to other datasets
     */
    ScavengedDataset(KvTreeStore store, ScrPrefix prefix, Path recorded, Path directory, ListedFiles listed)
            throws IOException {
        this.store = store;
        this.prefix = prefix;
        this.recorded = recorded;
        this.directory = directory;
        this.listed = listed;
        readMaps();
        readSets();
        this.ranks = ranks();
    }

    private void readMaps() throws IOException {
        for (Path path : PathStatus.entries(directory)) {
            Matcher matcher = MAP.matcher(path.getFileName().toString());
            // A file that a dying node left empty tells nothing, not even that the rank has no files.
            if (matcher.matches() && PathStatus.size(path) > 0) {
                KvTree files = store.read(path).get("FILE");
                maps.put(Integer.parseInt(matcher.group(1)), files == null ? new KvTree() : files);
            }
        }
    }

    private void readSets() throws IOException {
        for (Path path : PathStatus.entries(directory)) {
            Matcher matcher = SET.matcher(path.getFileName().toString());
            KvTree members = matcher.matches() ? store.readIfWhole(path).get("DESC") : null;
            if (members != null) {
                String family = matcher.group("family");
                SortedMap<Integer, KvTree> set =
                        sets.computeIfAbsent(family + " " + matcher.group("set"), name -> new TreeMap<>());
                if (family.equals(Redundancy.DATA)) {
                    saved.add(Integer.parseInt(matcher.group("rank")));
                }
                for (KvTree member : members.entries().values()) {
                    KvTree descriptor = member.get("DESC");
                    KvFields.integer(descriptor, "RANK")
                            .ifPresent(rank -> set.put(rank, descriptor == null ? new KvTree() : descriptor));
                }
            }
        }
    }

    /** Returns the number of ranks of the job. Every file that records it has the same number. */
    private int ranks() throws DrumlinException {
        NavigableSet<Integer> known = new TreeSet<>();
        for (KvTree files : maps.values()) {
            files.entries().values().forEach(file -> KvFields.integer(file.get("META"), "RANKS")
                    .ifPresent(known::add));
        }
        sets.values().forEach(set -> set.values()
                .forEach(member -> KvFields.integer(member, "WRANKS").ifPresent(known::add)));
        if (known.size() != 1 || known.first() < 1 || (!maps.isEmpty() && maps.lastKey() >= known.first())) {
            throw incomplete(known.isEmpty() ? "nothing in it says" : "its files say " + known)
                    .advice("of how many ranks its job was; do not mix files of several jobs")
                    .exception();
        }
        return known.first();
    }

    private DrumlinException.Context incomplete(String problem) {
        return DrumlinException.during("building a scavenged dataset")
                .path(directory)
                .problem(problem);
    }

    /**
     * Rebuilds the files of lost nodes.
     *
     * @return the ranks whose files were rebuilt
     * @throws IOException a file could not be read or written, or would replace one of another dataset
     */
    SortedSet<Integer> rebuild() throws IOException {
        List<Integer> unmapped = IntStream.range(0, ranks)
                .filter(rank -> !maps.containsKey(rank))
                .boxed()
                .toList();
        rebuild(Redundancy.MAPS, unmapped);
        readMaps();
        requireFreePlaces();
        NavigableSet<Integer> lost = ranksWithoutAll();
        // Nothing of these ranks was saved, so what is at their places was there before.
        unmapped.stream().filter(rank -> !saved.contains(rank)).forEach(lost::add);
        rebuild(Redundancy.DATA, lost);
        return lost;
    }

    private void requireFreePlaces() throws IOException {
        for (KvTree files : maps.values()) {
            for (KvTree file : files.entries().values()) {
                listed.requireFree(place(CachedFile.of(file)));
            }
        }
    }

    private NavigableSet<Integer> ranksWithoutAll() throws IOException {
        NavigableSet<Integer> without = new TreeSet<>();
        for (int rank = 0; rank < ranks; rank++) {
            if (!hasAll(rank)) {
                without.add(rank);
            }
        }
        return without;
    }

    private boolean hasAll(int rank) throws IOException {
        KvTree files = maps.get(rank);
        try {
            for (KvTree file :
                    files == null ? List.<KvTree>of() : files.entries().values()) {
                if (problem(file).isPresent()) {
                    return false;
                }
            }
            return files != null;
        } catch (IOException e) {
            KvTreeStore.requireDamage(e);
            return false;
        }
    }

    private void rebuild(String family, Collection<Integer> lost) throws IOException {
        for (Map.Entry<String, SortedMap<Integer, KvTree>> set : sets.entrySet()) {
            List<KvTree> members = List.copyOf(set.getValue().values());
            boolean needed = set.getKey().startsWith(family + " ")
                    && members.stream().anyMatch(member -> lost.contains(worldRank(member)));
            if (needed && isDescribed(members)) {
                ThreadCommunicator.run(members.size(), comm -> {
                    KvTree member = members.get(comm.rank());
                    int rank = worldRank(member);
                    new Redundancy(store, new Saved(rank), family)
                            .rebuildAlone(RedundancySet.of(member, rank, ranks, comm));
                });
            }
        }
    }

    private static int worldRank(KvTree member) {
        return KvFields.integer(member, "WRANK").orElse(-1);
    }

    /** Returns whether every member is described, so that the rest of the set knows what was lost. */
    private boolean isDescribed(List<KvTree> members) {
        for (int rank = 0; rank < members.size(); rank++) {
            KvTree member = members.get(rank);
            if (!RedundancySet.isPossible(member, ranks)
                    || KvFields.integer(member, "RANK").orElse(-1) != rank
                    || KvFields.integer(member, "RANKS").orElse(-1) != members.size()
                    || worldRank(member) < 0
                    || worldRank(member) >= ranks) {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks that all files of all ranks are there, makes them durable and lists them.
     *
     * @param copied the ranks whose files were checked and made durable when they were saved, if they were saved whole
     * @throws IOException a file is missing or differs from what was written
     */
    RankFiles check(Set<Integer> copied) throws IOException {
        KvTree found = new KvTree();
        for (int rank = 0; rank < ranks; rank++) {
            KvTree files = maps.get(rank);
            if (files == null) {
                throw lacking(directory.resolve("filemap_" + rank), rank, "no such file");
            }
            KvTree owned = found.add(Integer.toString(rank));
            for (KvTree file : files.entries().values()) {
                CachedFile cached = CachedFile.of(file);
                Path path = place(cached);
                Optional<String> problem = problem(file);
                if (problem.isPresent()) {
                    throw lacking(path, rank, problem.get());
                }
                if (!copied.contains(rank)) {
                    cached.check(path, store);
                    new PrefixFiles(prefix, store).sync(path);
                }
                cached.describe(owned.add(prefix.path().relativize(path).toString()));
            }
        }
        return RankFiles.of(ranks, found);
    }

    private static NoSuchDatasetException lacking(Path path, int rank, String problem) {
        return new NoSuchDatasetException(DrumlinException.during("building a scavenged dataset")
                .path(path)
                .rank(rank)
                .problem(problem)
                .advice("too many nodes were lost to make it again; save files of more of them, or take an"
                        + " older dataset"));
    }

    /** Returns the reason why a file is not as the job wrote it, as far as this shows without reading it. */
    private Optional<String> problem(KvTree file) throws IOException {
        CachedFile cached = CachedFile.of(file);
        Path path = place(cached);
        if (!cached.isComplete() || cached.ranks() != ranks) {
            return Optional.of("its job did not complete it");
        }
        if (!PathStatus.isRegularFile(path)) {
            return Optional.of("no such file");
        }
        long size = PathStatus.size(path);
        long expected = cached.size().orElse(-1);
        return size == expected
                ? Optional.empty()
                : Optional.of("it has " + size + " bytes, but " + expected + " were written");
    }

    private Path place(CachedFile file) throws DrumlinException {
        return file.place(prefix, recorded);
    }

    /** The current paths of the files of a rank. */
    private final class Saved implements DatasetDirectory {

        private final int rank;

        private Saved(int rank) {
            this.rank = rank;
        }

        @Override
        public Path metadata() {
            return directory;
        }

        @Override
        public Path locate(String name) throws DrumlinException {
            Path last = StoredNames.path(name).getFileName();
            KvTree file = maps.getOrDefault(rank, new KvTree()).get(name);
            if (file != null) {
                return place(CachedFile.of(file));
            }
            if (last != null && last.toString().equals("filemap_" + rank)) {
                return directory.resolve(last);
            }
            throw incomplete("'" + name + "' is no file of rank " + rank)
                    .advice("do not trust this directory")
                    .exception();
        }
    }
}

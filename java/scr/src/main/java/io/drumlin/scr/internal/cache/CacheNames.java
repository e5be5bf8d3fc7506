package io.drumlin.scr.internal.cache;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Chooses the names that the files of a dataset have in the cache of a node (docs/formats/scr.md, section 10). SCR makes
 * no directories when it makes lost files again, so a file has only its last name there. Only files whose last names
 * are the same keep their directories.
 */
public final class CacheNames {

    private CacheNames() {}

    /**
     * Chooses names.
     *
     * @param paths the files of all ranks of the node, below the prefix directory
     * @return the name of each, below the directory of the dataset
     */
    public static SortedMap<Path, Path> choose(Collection<Path> paths) {
        Set<Path> nested = equalLastNames(paths);
        boolean more = true;
        while (more) {
            // A directory cannot have the name of a file beside it.
            more = nested.addAll(hidden(paths, nested));
        }
        SortedMap<Path, Path> names = new TreeMap<>();
        paths.forEach(path -> names.put(path, nested.contains(path) ? path : path.getFileName()));
        return names;
    }

    private static Set<Path> equalLastNames(Collection<Path> paths) {
        return paths.stream().distinct().collect(Collectors.groupingBy(Path::getFileName)).values().stream()
                .filter(each -> each.size() > 1)
                .flatMap(Collection::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the files whose last names are those of directories in the directory of the dataset. */
    private static Set<Path> hidden(Collection<Path> paths, Set<Path> nested) {
        Set<Path> directories = nested.stream().map(path -> path.getName(0)).collect(Collectors.toSet());
        directories.add(Path.of(".scr"));
        return paths.stream()
                .filter(path -> directories.contains(path.getFileName()))
                .collect(Collectors.toSet());
    }
}

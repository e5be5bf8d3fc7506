package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.format.fti.IniFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The keys of the configuration file (docs/configuration.md), and suggestions for misspelled ones. */
public final class KnownKeys {

    private static final String OURS = "drumlin";

    private static final Map<String, List<String>> KEYS = new LinkedHashMap<>();

    static {
        KEYS.put(
                "basic",
                words(
                        "head node_size group_size ckpt_dir glbl_dir meta_dir glbl_stash_dir ckpt_l1 ckpt_l2 ckpt_l3 ckpt_l4"
                                + " dcp_l4 inline_l2 inline_l3 inline_l4 keep_last_ckpt keep_l4_ckpt keep_heads_alive max_sync_intv"
                                + " ckpt_io verbosity enable_staging enable_dcp dcp_mode dcp_block_size dcp_stack_size cacheddcp"
                                + " max_var_id h5_single_file_enable h5_single_file_dir h5_single_file_prefix h5_single_file_keep"
                                + " h5_single_file_inline"));
        KEYS.put("restart", words("failure exec_id"));
        KEYS.put(
                "advanced",
                words("block_size transfer_size ckpt_tag stage_tag final_tag general_tag local_test fast_forward"
                        + " gpu_host_bufsize lustre_stiping_unit lustre_stiping_factor lustre_stiping_offset"));
        KEYS.put("injection", words("rank index position number frequency"));
        KEYS.put(
                OURS,
                words(
                        "packing layout async lease on_unreadable storage slab_memory ckpt_interval"
                                + " mtbf_l1 mtbf_l2 mtbf_l3 mtbf_l4 keep keep_every keep_size keep_l1 keep_l2 keep_l3 from branch stop stop_level stop_margin halt_file requeue h5_compression"));
    }

    private KnownKeys() {}

    /** Returns the known sections. */
    static Set<String> sections() {
        return Collections.unmodifiableSet(KEYS.keySet());
    }

    private static List<String> words(String line) {
        return List.of(line.split(" "));
    }

    /**
     * Refuses unknown keys of {@code [drumlin]}, because they would have no effect.
     *
     * @param name name of the file, for messages
     */
    static void requireKnown(IniFile ini, String name) throws DrumlinException {
        for (String key : ini.section(OURS).keySet()) {
            if (!keys(OURS).contains(key)) {
                String meant = nearest(key, keys(OURS))
                        .map(word -> "did you mean " + word + "? ")
                        .orElse("");
                throw DrumlinException.during("reading " + name)
                        .problem("[" + OURS + "] has no key " + key)
                        .advice(meant + "the keys are " + String.join(", ", keys(OURS)))
                        .exception();
            }
        }
    }

    /**
     * Finds unknown keys in C FTI's sections that look like known ones, and values that are probably not meant. Other
     * unknown keys and sections may be for other programs.
     *
     * @return a sentence for each key
     */
    public static List<String> suspicions(IniFile ini) {
        List<String> found = new ArrayList<>(ini.cutValues());
        Optional<String> local = ini.get("basic", "ckpt_dir");
        if (local.isPresent() && local.equals(ini.get("basic", "glbl_dir"))) {
            found.add(
                    "[basic] ckpt_dir and glbl_dir are the same directory: ckpt_dir is storage of each node, glbl_dir is on"
                            + " the parallel file system, and the loss of the one would be the loss of both");
        }
        for (String section : ini.sections()) {
            if (!KEYS.containsKey(section)) {
                nearest(section, KEYS.keySet())
                        .ifPresent(word ->
                                found.add("section [" + section + "] has no effect; did you mean [" + word + "]?"));
                continue;
            }
            for (String key : ini.section(section).keySet()) {
                if (!keys(section).contains(key)) {
                    meaning(section, key)
                            .ifPresent(word -> found.add(
                                    "[" + section + "] " + key + " has no effect; did you mean " + word + "?"));
                }
            }
        }
        return found;
    }

    private static Optional<String> meaning(String section, String key) {
        for (Map.Entry<String, List<String>> other : KEYS.entrySet()) {
            if (other.getValue().contains(key)) {
                return Optional.of(key + " in [" + other.getKey() + "]");
            }
        }
        return nearest(key, keys(section));
    }

    /** Returns the keys of a section; none if the section is unknown. */
    static List<String> keys(String section) {
        return KEYS.getOrDefault(section, List.of());
    }

    /**
     * Returns the word that was probably meant.
     *
     * @param words the candidates
     * @return the candidate with the fewest wrong letters: at most two, or one in short words
     */
    static Optional<String> nearest(String word, Collection<String> words) {
        String nearest = "";
        int fewest = word.length() < 5 ? 2 : 3;
        for (String candidate : words) {
            int wrong = distance(word, candidate);
            if (wrong < fewest) {
                fewest = wrong;
                nearest = candidate;
            }
        }
        return nearest.isEmpty() ? Optional.empty() : Optional.of(nearest);
    }

    /** Returns how many letters must be added, removed or replaced to turn one word into the other. */
    private static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, Math.min(before[j], now[j - 1]) + 1);
            }
            before = now;
        }
        return before[other.length()];
    }
}

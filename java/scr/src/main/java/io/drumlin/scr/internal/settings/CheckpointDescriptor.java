package io.drumlin.scr.internal.settings;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Describes how datasets are cached: SCR's checkpoint descriptor, a line {@code CKPT} of the configuration.
 *
 * @param interval the descriptor applies to checkpoints whose number is a multiple of this
 * @param output whether it is meant for output first
 * @param bypass whether files go straight to the prefix directory
 * @param type the kind of protection
 * @param setSize smallest number of ranks that protect each other
 * @param failures number of failures that RS can repair
 */
public record CheckpointDescriptor(
        int interval, boolean output, boolean bypass, CopyType type, int setSize, int failures) {

    private static final Set<String> KEYS =
            Set.of("ENABLED", "INTERVAL", "OUTPUT", "BYPASS", "STORE", "TYPE", "GROUP", "SET_SIZE", "SET_FAILURES");

    /**
     * Chooses the descriptor of a dataset: the one with the largest interval that divides the number of the checkpoint.
     * A descriptor for output takes precedence for output.
     */
    static CheckpointDescriptor choose(Collection<CheckpointDescriptor> all, DatasetDescriptor dataset) {
        int number = dataset.checkpoint().orElse(1);
        Comparator<CheckpointDescriptor> best =
                Comparator.comparing(each -> dataset.isOutput() && each.output() ? Integer.MAX_VALUE : each.interval());
        return all.stream()
                .filter(each -> (dataset.isOutput() && each.output()) || number % each.interval() == 0)
                .max(best)
                .orElseThrow();
    }

    /** Makes the descriptor that the parameters give, without lines. */
    static CheckpointDescriptor of(ScrSettings settings) throws DrumlinException {
        return new CheckpointDescriptor(
                1,
                false,
                settings.flag("SCR_CACHE_BYPASS"),
                type(settings.text("SCR_COPY_TYPE")),
                settings.integer("SCR_SET_SIZE"),
                settings.integer("SCR_SET_FAILURES"));
    }

    /** Makes the descriptor of a line. Items that it lacks come from the parameters. */
    static CheckpointDescriptor of(Map<String, String> items, ScrSettings settings) throws DrumlinException {
        Map<String, String> defaults = Map.of(
                "INTERVAL",
                "1",
                "OUTPUT",
                "0",
                "BYPASS",
                settings.text("SCR_CACHE_BYPASS"),
                "TYPE",
                "XOR",
                "SET_SIZE",
                settings.text("SCR_SET_SIZE"),
                "SET_FAILURES",
                settings.text("SCR_SET_FAILURES"));
        for (Map.Entry<String, String> item : items.entrySet()) {
            boolean elsewhere =
                    item.getKey().equals("STORE") && !item.getValue().equals(settings.text("SCR_CACHE_BASE"));
            boolean grouped = item.getKey().equals("GROUP") && !item.getValue().equals("NODE");
            if (!KEYS.contains(item.getKey()) || elsewhere || grouped) {
                throw refused(item.getKey() + "=" + item.getValue() + " in a line CKPT is not supported");
            }
        }
        ScrSettings line = new ScrSettings(defaults).with(items);
        CheckpointDescriptor descriptor = new CheckpointDescriptor(
                line.integer("INTERVAL"),
                line.flag("OUTPUT"),
                line.flag("BYPASS"),
                type(line.text("TYPE")),
                line.integer("SET_SIZE"),
                line.integer("SET_FAILURES"));
        if (descriptor.interval() < 1) {
            throw refused("INTERVAL in a line CKPT is " + descriptor.interval());
        }
        return descriptor;
    }

    private static CopyType type(String text) throws DrumlinException {
        String name = text.toUpperCase(Locale.ROOT);
        for (CopyType type : CopyType.values()) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw refused("the type of the copies is '" + text + "'");
    }

    private static DrumlinException refused(String problem) {
        return DrumlinException.during("reading the configuration of SCR")
                .problem(problem)
                .advice("SCR_COPY_TYPE is SINGLE, PARTNER, XOR, RS, or FILE for lines CKPT=N with ENABLED, INTERVAL,"
                        + " OUTPUT, BYPASS, TYPE (as SCR_COPY_TYPE), SET_SIZE and SET_FAILURES; caches are in"
                        + " SCR_CACHE_BASE, and nodes fail one by one")
                .exception();
    }
}

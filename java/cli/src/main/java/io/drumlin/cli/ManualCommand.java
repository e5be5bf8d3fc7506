package io.drumlin.cli;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Spec;

/** {@code drumlin manual}: writes the manual page from the texts of {@code --help}. For scripts/install. */
@Command(
        name = "manual",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Prints the manual page, drumlin(1), for man.")
final class ManualCommand implements Runnable {

    /** Width of a line of a manual page that is printed unchanged, on a terminal of 80 columns. */
    private static final int WIDTH = 76;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        UsageMessageSpec usage = root.getCommandSpec().usageMessage();
        out.println(".TH DRUMLIN 1 \"\" \"" + escape(root.getCommandSpec().version()[0]) + "\"");
        out.println(".SH NAME");
        out.println("drumlin \\- look into checkpoint files, verify, extract and convert them");
        out.println(".SH SYNOPSIS");
        asItIs(
                out,
                new CommandLine.Help(root.getCommandSpec(), CommandLine.Help.defaultColorScheme(Ansi.OFF)).synopsis(0));
        out.println(".SH DESCRIPTION");
        out.println(escape(String.join(" ", usage.description())));
        out.println(".SH COMMANDS");
        commands(out, root);
        out.println(".SH EXIT STATUS");
        usage.exitCodeList().forEach((code, meaning) -> {
            out.println(".TP");
            out.println("\\fB" + code.strip() + "\\fR");
            out.println(escape(meaning));
        });
        out.flush();
    }

    private static void commands(PrintWriter out, CommandLine parent) {
        // An alias is a second name of the same object.
        for (CommandLine command : new LinkedHashSet<>(parent.getSubcommands().values())) {
            CommandSpec described = command.getCommandSpec();
            if (!described.usageMessage().hidden()) {
                out.println(".SS " + escape(described.qualifiedName(" ")));
                described.usageMessage().width(WIDTH);
                asItIs(out, command.getUsageMessage(Ansi.OFF));
                commands(out, command);
            }
        }
    }

    private static void asItIs(PrintWriter out, String text) {
        out.println(".nf");
        text.stripTrailing().lines().map(ManualCommand::escape).forEach(out::println);
        out.println(".fi");
    }

    /**
     * Escapes a text. A backslash begins an escape everywhere, and a dot or a quote begins a request at the beginning
     * of a line.
     */
    private static String escape(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}

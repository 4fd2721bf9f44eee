package org.tutti.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.CommandOutput;
import org.tutti.launch.program.HelperJvm;

/// The results of a device survey: lines of fields, defined by `SurveyFile` of tutti-device.
///
/// @param end how the surveying process ended; empty if normally
record DeviceAnswers(List<List<String>> lines, String end) {
    private static final String SURVEY = "org.tutti.device.survey.DeviceSurvey";

    /// A file or library that was tried.
    ///
    /// @param failure the message of the loader or the library; empty if there was no failure
    /// @param file the loaded file; empty if none
    record Attempt(String what, String failure, String file) {}

    /// @param pciId empty if unknown
    record Found(
            String id,
            String name,
            String uuid,
            long memoryBytes,
            String architecture,
            String pciId,
            String multiprocessors,
            String driver) {}

    /// The device of a rank.
    record OfRank(int rank, String host, String id, String name, String uuid) {}

    static DeviceAnswers parse(List<String> lines, String end) {
        return new DeviceAnswers(
                lines.stream().map(line -> List.of(line.split("\t", -1))).toList(), end);
    }

    /// Searches for devices of a kind, in a separate process.
    static DeviceAnswers ask(String kind) {
        return into(file -> {
            CommandOutput ended = CommandOutput.of(
                    HelperJvm.command(SURVEY, List.of(file.toString(), kind)),
                    environment -> environment.keySet().removeAll(JvmCheck.VARIABLES));
            return Libraries.end("searched for devices", ended);
        });
    }

    /// @param asking receives the file for the results, and returns how the process ended
    static DeviceAnswers into(Function<Path, String> asking) {
        Path file = null;
        try {
            file = Files.createTempFile("tutti-doctor", ".survey");
            String end = asking.apply(file);
            return parse(Files.readAllLines(file), end);
        } catch (IOException e) {
            return new DeviceAnswers(List.of(), "the check failed: " + e.getMessage());
        } finally {
            try {
                if (file != null) Files.deleteIfExists(file);
            } catch (IOException e) {
                // not reported, because the remaining file is in the directory for temporary files
            }
        }
    }

    /// Returns the lines with `word`, the kind of a line, as the first field, and with `words` further fields.
    private List<List<String>> those(String word, int words) {
        return lines.stream()
                .filter(line -> line.getFirst().equals(word) && line.size() == words + 1)
                .toList();
    }

    List<Attempt> attempts() {
        return those("searched", 3).stream()
                .map(line -> new Attempt(line.get(1), line.get(2), line.get(3)))
                .toList();
    }

    List<Found> devices() {
        return those("device", 8).stream()
                .map(line -> new Found(
                        line.get(1),
                        line.get(2),
                        line.get(3),
                        Long.parseLong(line.get(4)),
                        line.get(5),
                        line.get(6),
                        line.get(7),
                        line.get(8)))
                .toList();
    }

    List<OfRank> ranks() {
        return those("rank", 5).stream()
                .map(line ->
                        new OfRank(Integer.parseInt(line.get(1)), line.get(2), line.get(3), line.get(4), line.get(5)))
                .toList();
    }

    /// Returns the last field of the line that has the kind `word` and is about `thing`, for example of the line
    /// `opened` about a device; null if this line is missing.
    @Nullable
    String of(String word, String thing) {
        for (List<String> line : those(word, 2)) if (line.get(1).equals(thing)) return line.get(2);
        return null;
    }

    /// Returns the libraries of collective operations that were tried, with the versions, which are empty if
    /// the library was not found.
    List<List<String>> collectives() {
        List<List<String>> all = new ArrayList<>();
        for (List<String> line : those("collectives", 2)) all.add(line.subList(1, 3));
        return all;
    }

    /// Returns one line for each examined call: how the call transfers data between devices, in the words of
    /// `Comm.explain`.
    List<String> ways() {
        return those("way", 1).stream().map(line -> line.get(1)).toList();
    }

    /// Returns why no rank has a device; null if not reported.
    @Nullable
    String noRanks() {
        List<List<String>> reasons = those("no-ranks", 1);
        return reasons.isEmpty() ? null : reasons.getFirst().get(1);
    }
}

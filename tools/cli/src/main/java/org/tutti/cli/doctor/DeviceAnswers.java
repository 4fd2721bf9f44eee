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

/// What a survey of devices answered: lines of words, `SurveyFile` of tutti-device says which.
///
/// @param end how the process that was to answer ended; empty if as it should
record DeviceAnswers(List<List<String>> lines, String end) {
    private static final String SURVEY = "org.tutti.device.survey.DeviceSurvey";

    /// Something that was looked at.
    ///
    /// @param failure in the words of the loader or the library; empty where it is there
    /// @param file that was loaded; empty where it is none
    record Looked(String what, String failure, String file) {}

    /// @param pciId empty where it has none
    record Found(
            String id,
            String name,
            String uuid,
            long memoryBytes,
            String architecture,
            String pciId,
            String multiprocessors,
            String driver) {}

    /// The device that a rank got.
    record OfRank(int rank, String host, String id, String name, String uuid) {}

    static DeviceAnswers parse(List<String> lines, String end) {
        return new DeviceAnswers(
                lines.stream().map(line -> List.of(line.split("\t", -1))).toList(), end);
    }

    /// Looks for devices of a kind, in a process of its own.
    static DeviceAnswers ask(String kind) {
        return into(file -> {
            CommandOutput ended = CommandOutput.of(
                    HelperJvm.command(SURVEY, List.of(file.toString(), kind)),
                    environment -> environment.keySet().removeAll(JvmCheck.VARIABLES));
            return Libraries.end("looked for them", ended);
        });
    }

    /// @param asking gets the file for the answers, and returns how that ended
    static DeviceAnswers into(Function<Path, String> asking) {
        Path file = null;
        try {
            file = Files.createTempFile("tutti-doctor", ".survey");
            String end = asking.apply(file);
            return parse(Files.readAllLines(file), end);
        } catch (IOException e) {
            return new DeviceAnswers(List.of(), "it could not be looked at: " + e.getMessage());
        } finally {
            try {
                if (file != null) Files.deleteIfExists(file);
            } catch (IOException e) {
                // it lies in the directory for temporary files
            }
        }
    }

    /// Lines that begin with `word` and have as many more.
    private List<List<String>> those(String word, int words) {
        return lines.stream()
                .filter(line -> line.getFirst().equals(word) && line.size() == words + 1)
                .toList();
    }

    List<Looked> looked() {
        return those("looked", 3).stream()
                .map(line -> new Looked(line.get(1), line.get(2), line.get(3)))
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

    /// What `word` says of something, `opened` of a device for instance; null where it says nothing.
    @Nullable
    String of(String word, String thing) {
        for (List<String> line : those(word, 2)) if (line.get(1).equals(thing)) return line.get(2);
        return null;
    }

    /// The libraries of collective operations that were looked for, with their versions, which are empty
    /// where there is none.
    List<List<String>> collectives() {
        List<List<String>> all = new ArrayList<>();
        for (List<String> line : those("collectives", 2)) all.add(line.subList(1, 3));
        return all;
    }

    /// Which way calls go, in the words of `Comm.explain`.
    List<String> ways() {
        return those("way", 1).stream().map(line -> line.get(1)).toList();
    }

    /// Why no rank has a device; null where that was not said.
    @Nullable
    String noRanks() {
        List<List<String>> said = those("no-ranks", 1);
        return said.isEmpty() ? null : said.getFirst().get(1);
    }
}

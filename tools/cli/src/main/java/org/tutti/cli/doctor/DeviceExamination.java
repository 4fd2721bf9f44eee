package org.tutti.cli.doctor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.Examination.Section;
import org.tutti.cli.doctor.settings.Owner;
import org.tutti.job.environment.DeviceSetting;
import org.tutti.launch.job.Launcher;
import org.tutti.launch.run.Run;

/// `tutti doctor gpu`: the devices of each kind, the assignment to ranks, and the relevant settings.
final class DeviceExamination {
    static final List<String> KINDS =
            List.of(DeviceEvaluator.CUDA, DeviceEvaluator.HIP, DeviceEvaluator.OPENCL, DeviceEvaluator.HOST);

    private static final String RANK_SURVEY = "org.tutti.device.survey.RankSurvey";
    private static final Duration LONGEST_JOB = Duration.ofSeconds(120);

    private DeviceExamination() {}

    /// @param job whether to start ranks that report the devices
    static Examination of(ExaminedMachine examined, boolean job) throws IOException, InterruptedException {
        Map<String, DeviceAnswers> answers = ask();
        List<Section> sections = new ArrayList<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        answers.forEach((kind, answer) -> {
            CheckResults notes = new CheckResults();
            DeviceEvaluator.evaluate(examined, kind, answer, notes);
            sections.add(new Section("devices of the kind " + kind, notes.findings()));
            counts.put(kind, answer.devices().size());
        });
        CheckResults choice = new CheckResults();
        evaluateChoice(examined.env().get(DeviceSetting.VARIABLE), counts, choice);
        sections.add(new Section("which one a rank takes", choice.findings()));
        if (job) {
            CheckResults ranks = new CheckResults();
            evaluateRanks(startRanks(examined.ranks()), ranks);
            sections.add(new Section("the ranks of a job of " + examined.ranks(), ranks.findings()));
        }
        CheckResults settings = new CheckResults();
        new SettingsCheck("devices, NCCL or RCCL", EnumSet.of(Owner.DEVICES, Owner.NCCL, Owner.RCCL))
                .run(examined, settings);
        sections.add(new Section("settings", settings.findings()));
        return new Examination(List.copyOf(sections));
    }

    /// Queries all kinds at the same time, and returns the results in the order of preference.
    private static Map<String, DeviceAnswers> ask() throws InterruptedException {
        Map<String, DeviceAnswers> answers = new TreeMap<>(Comparator.comparingInt(KINDS::indexOf));
        List<Thread> threads = new ArrayList<>();
        for (String kind : KINDS) {
            threads.add(Thread.ofPlatform().start(() -> {
                DeviceAnswers answer = DeviceAnswers.ask(kind);
                synchronized (answers) {
                    answers.put(kind, answer);
                }
            }));
        }
        for (Thread thread : threads) thread.join();
        return answers;
    }

    /// Reports the result of `Device.forRank` on this machine.
    ///
    /// @param set the value of `TUTTI_DEVICE`; null if not set
    /// @param counts the number of devices of each kind, in the order of preference
    static void evaluateChoice(@Nullable String set, Map<String, Integer> counts, CheckResults notes) {
        String setting = set == null || set.isBlank() ? null : set.strip();
        String first = null;
        for (String kind : KINDS) {
            if (first == null && !kind.equals(DeviceEvaluator.HOST) && counts.getOrDefault(kind, 0) > 0) first = kind;
        }
        if (setting == null) {
            notes.ok(
                    first == null
                            ? "Device.forRank selects the host, because there is no other device"
                            : takes("", first, counts));
            return;
        }
        String words = DeviceSetting.VARIABLE + "=" + setting;
        String kind = setting.equals(DeviceSetting.ANY) ? first : setting;
        if (kind != null && !KINDS.contains(kind)) {
            notes.fails(
                    words + " is not a kind of device in Tutti: Device.forRank throws on every rank unless the"
                            + " program provides a backend of that kind",
                    "use " + String.join(", ", KINDS) + " or " + DeviceSetting.ANY);
        } else if (kind == null || counts.getOrDefault(kind, 0) == 0) {
            notes.fails(
                    words + " requires a device" + (kind == null ? "" : " of the kind " + kind)
                            + ", but none was found: Device.forRank throws on every rank",
                    "unset " + DeviceSetting.VARIABLE + "; or see the reason above");
        } else {
            notes.ok(takes(words + ": ", kind, counts));
        }
    }

    private static String takes(String words, String kind, Map<String, Integer> counts) {
        int others = 0;
        for (String other : KINDS) {
            if (!other.equals(kind) && !other.equals(DeviceEvaluator.HOST)) others += counts.getOrDefault(other, 0);
        }
        int there = counts.getOrDefault(kind, 0);
        String which = kind.equals(DeviceEvaluator.HOST)
                ? "the host"
                : (there == 1 ? "the only device" : "one of the " + there + " devices") + " of kind " + kind;
        return words + "Device.forRank selects " + which
                + (others == 0 ? "" : "; " + others + " of other kinds " + (others == 1 ? "is" : "are") + " not used");
    }

    private static DeviceAnswers startRanks(int ranks) throws InterruptedException {
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        InterruptedException[] interrupt = {null};
        DeviceAnswers answers = DeviceAnswers.into(file -> {
            try {
                int code = Launcher.run(Run.of(RANK_SURVEY, List.of(file.toString()))
                        .size(ranks)
                        .timeout(LONGEST_JOB)
                        .output(OutputStream.nullOutputStream())
                        .error(error)
                        .build());
                String words = error.toString(StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
                return code == 0 ? "" : "the job ended with exit code " + code + ": " + words;
            } catch (IOException e) {
                return "no job could be started: " + e.getMessage();
            } catch (InterruptedException e) {
                interrupt[0] = e;
                return "interrupted";
            }
        });
        if (interrupt[0] != null) throw interrupt[0];
        return answers;
    }

    /// Reports the device of each rank, shared devices, and the path of messages.
    static void evaluateRanks(DeviceAnswers answers, CheckResults notes) {
        Map<String, List<DeviceAnswers.OfRank>> byDevice = new LinkedHashMap<>();
        for (DeviceAnswers.OfRank rank : answers.ranks()) {
            notes.ok("rank " + rank.rank() + " on " + rank.host() + ": " + rank.id() + ", " + rank.name() + ", UUID "
                    + rank.uuid());
            byDevice.computeIfAbsent(rank.uuid(), uuid -> new ArrayList<>()).add(rank);
        }
        byDevice.forEach((uuid, sharing) -> evaluateShared(uuid, sharing, notes));
        for (String way : answers.ways()) notes.ok(way);
        String none = answers.noRanks();
        if (none != null) {
            notes.fails(none, "unset " + DeviceSetting.VARIABLE + " to use any device; or see above what is missing");
        } else if (!answers.end().isEmpty()) {
            notes.fails(answers.end(), "check with tutti run -n 2 examples/Hello.java whether jobs run");
        }
    }

    private static void evaluateShared(String uuid, List<DeviceAnswers.OfRank> sharing, CheckResults notes) {
        String id = sharing.getFirst().id();
        String kind = id.substring(0, id.indexOf(':'));
        if (sharing.size() < 2 || kind.equals(DeviceEvaluator.HOST)) return;
        String last = " and " + sharing.getLast().rank();
        String others = sharing.subList(0, sharing.size() - 1).stream()
                .map(one -> Integer.toString(one.rank()))
                .collect(Collectors.joining(", "));
        String text = "ranks " + others + last + " share " + id + " (" + uuid + ")";
        String library = kind.equals(DeviceEvaluator.CUDA) ? "NCCL" : kind.equals(DeviceEvaluator.HIP) ? "RCCL" : null;
        if (library == null) {
            notes.ok(text);
            return;
        }
        notes.warn(
                text + ": each gets a part of the memory and time, and " + library + " takes one rank for each device",
                "start as many ranks on a machine as it has devices; see CUDA_VISIBLE_DEVICES and similar settings above");
    }
}

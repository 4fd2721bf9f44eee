package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The CPUs of the machine, with the numbers of Linux.
public final class Cpus {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cpus() {}

    /// Returns the CPUs on which this process may run, and therefore also a job that it starts.
    public static List<Integer> allowed() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(ALLOWED))
                    return numbers(line.substring(ALLOWED.length()).strip());
            }
            throw new IllegalStateException("no " + ALLOWED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Parses a list of CPUs: `0-2,5` is 0, 1, 2 and 5.
    public static List<Integer> numbers(String list) {
        List<Integer> numbers = new ArrayList<>();
        for (String item : list.split(",")) {
            String[] bounds = item.split("-");
            for (int n = Integer.parseInt(bounds[0]); n <= Integer.parseInt(bounds[bounds.length - 1]); n++)
                numbers.add(n);
        }
        return numbers;
    }
}

package org.tutti.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A line of `pytorch/schedules.txt`, which PyTorch has written: `name key=value … : numbers`.
record PytorchValues(String name, Map<String, String> arguments, double[] numbers) {
    static List<PytorchValues> named(String name) {
        try (var in = Objects.requireNonNull(PytorchValues.class.getResourceAsStream("/pytorch/schedules.txt"))) {
            List<PytorchValues> all = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (line.startsWith(name + " ")) all.add(of(line));
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PytorchValues of(String line) {
        String[] sides = line.split(" : ");
        String[] words = sides[0].strip().split(" ");
        Map<String, String> arguments = new HashMap<>();
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            arguments.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
        }
        double[] numbers = Arrays.stream(sides[1].split(" "))
                .mapToDouble(n -> n.equals("nan") ? Double.NaN : Double.parseDouble(n))
                .toArray();
        return new PytorchValues(words[0], arguments, numbers);
    }

    double number(String key, double otherwise) {
        String value = arguments.get(key);
        return value == null ? otherwise : Double.parseDouble(value);
    }

    String text(String key, String otherwise) {
        return arguments.getOrDefault(key, otherwise);
    }
}

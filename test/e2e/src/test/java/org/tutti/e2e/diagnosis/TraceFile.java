package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// The events of a trace, as a viewer reads them. [#read] checks the requirements of the Trace Event Format for
/// the file and for each event.
public record TraceFile(List<Map<String, Object>> events) {
    private static final Set<String> PHASES = Set.of("M", "X", "s", "f");
    private static final double NANO = 1e-3;

    /// A slice of a thread. Times are in microseconds.
    public record Slice(int pid, long tid, String name, double ts, double dur, Map<String, Object> args) {
        double end() {
            return ts + dur;
        }

        String line() {
            return String.valueOf(args.get("line"));
        }
    }

    /// A message, from the slice of the send to the slice of the receive.
    public record Flow(Slice from, Slice to, double sent, double received) {}

    public static TraceFile read(Path file) throws IOException {
        Map<String, Object> all;
        try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
            json.nextToken();
            all = object(json);
            assertThat(json.nextToken()).as("the end").isNull();
        }
        assertThat(all).containsKeys("traceEvents", "displayTimeUnit");
        List<Map<String, Object>> events = new ArrayList<>();
        for (Object event : (List<?>) all.get("traceEvents")) events.add(map(event));
        TraceFile trace = new TraceFile(events);
        trace.requireFields();
        trace.requireNames();
        trace.requireNesting();
        return trace;
    }

    @SuppressWarnings("unchecked") // JSON objects were read
    private static Map<String, Object> map(Object of) {
        return (Map<String, Object>) of;
    }

    private static Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) list.add(value(json));
                yield list;
            }
            case VALUE_NUMBER_INT -> json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_STRING -> json.getText();
            default -> throw new AssertionError("a trace has no " + json.currentToken());
        };
    }

    private static Map<String, Object> object(JsonParser json) throws IOException {
        assertThat(json.currentToken()).isEqualTo(JsonToken.START_OBJECT);
        Map<String, Object> object = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            assertThat(object.put(name, value(json))).as("%s twice", name).isNull();
        }
        return object;
    }

    private void requireFields() {
        for (Map<String, Object> e : events) {
            assertThat(PHASES).as("%s", e).contains((String) e.get("ph"));
            assertThat(e.get("pid")).as("%s", e).isInstanceOf(Long.class);
            assertThat(e.get("tid")).as("%s", e).isInstanceOf(Long.class);
            assertThat((String) e.get("name")).as("%s", e).isNotEmpty();
            if (e.get("ph").equals("M")) {
                assertThat(map(e.get("args"))).as("%s", e).hasSize(1);
                continue;
            }
            assertThat((String) e.get("cat")).as("%s", e).isNotEmpty();
            assertThat((Double) e.get("ts")).as("%s", e).isNotNegative();
            if (e.get("ph").equals("X"))
                assertThat((Double) e.get("dur")).as("%s", e).isPositive();
            else assertThat(e.get("id")).as("%s", e).isInstanceOf(Long.class);
            if (e.get("ph").equals("f")) assertThat(e).containsEntry("bp", "e");
        }
    }

    private Stream<Map<String, Object>> phase(String phase) {
        return events.stream().filter(e -> e.get("ph").equals(phase));
    }

    /// Asserts that every process and thread has exactly one name.
    private void requireNames() {
        Map<List<Object>, Object> names = new HashMap<>();
        phase("M").forEach(e -> {
            String name = (String) e.get("name");
            Object of = name.startsWith("process_")
                    ? List.of(e.get("pid"), name)
                    : List.of(e.get("pid"), e.get("tid"), name);
            assertThat(names.put(List.of(of), e.get("args"))).as("%s", e).isNull();
        });
        for (Map<String, Object> e : events) {
            if (e.get("ph").equals("M")) continue;
            assertThat(names).containsKey(List.of(List.of(e.get("pid"), "process_name")));
            assertThat(names).containsKey(List.of(List.of(e.get("pid"), e.get("tid"), "thread_name")));
        }
    }

    /// Asserts that any two slices of a thread are nested or disjoint.
    private void requireNesting() {
        Map<List<Object>, List<Slice>> threads = new HashMap<>();
        slices().forEach(s -> threads.computeIfAbsent(List.of(s.pid, s.tid), t -> new ArrayList<>())
                .add(s));
        for (List<Slice> thread : threads.values()) {
            thread.sort(Comparator.comparingDouble(Slice::ts)
                    .thenComparing(Comparator.comparingDouble(Slice::dur).reversed()));
            Deque<Slice> open = new ArrayDeque<>();
            for (Slice slice : thread) {
                while (!open.isEmpty() && open.peek().end() <= slice.ts + NANO / 2) open.pop();
                if (!open.isEmpty()) {
                    assertThat(slice.end())
                            .as("%s in %s", slice, open.peek())
                            .isLessThanOrEqualTo(open.peek().end() + NANO / 2);
                }
                open.push(slice);
            }
        }
    }

    private static Slice slice(Map<String, Object> e) {
        return new Slice(
                ((Long) e.get("pid")).intValue(),
                (Long) e.get("tid"),
                (String) e.get("name"),
                (Double) e.get("ts"),
                (Double) e.get("dur"),
                map(e.get("args")));
    }

    public Stream<Slice> slices() {
        return phase("X").map(TraceFile::slice);
    }

    /// Returns the slices of a category.
    public List<Slice> slices(String category) {
        return phase("X")
                .filter(e -> e.get("cat").equals(category))
                .map(TraceFile::slice)
                .toList();
    }

    /// Returns the names of the threads of a rank.
    Set<String> threads(int pid) {
        Set<String> threads = new HashSet<>();
        phase("M")
                .filter(e -> e.get("name").equals("thread_name") && e.get("pid").equals((long) pid))
                .forEach(e -> threads.add((String) map(e.get("args")).get("name")));
        return threads;
    }

    /// Returns every arrow with the innermost slices in which it begins and ends.
    public List<Flow> flows() {
        Map<Object, Map<String, Object>> begins = new HashMap<>(), arrivals = new HashMap<>();
        phase("s").forEach(e -> assertThat(begins.put(e.get("id"), e)).isNull());
        phase("f").forEach(e -> assertThat(arrivals.put(e.get("id"), e)).isNull());
        assertThat(begins.keySet()).isEqualTo(arrivals.keySet());
        List<Slice> all = slices().toList();
        List<Flow> flows = new ArrayList<>();
        begins.forEach((id, s) -> {
            Map<String, Object> f = arrivals.get(id);
            flows.add(new Flow(around(all, s), around(all, f), (Double) s.get("ts"), (Double) f.get("ts")));
        });
        return flows;
    }

    private static Slice around(List<Slice> all, Map<String, Object> end) {
        double ts = (Double) end.get("ts");
        return all.stream()
                .filter(s -> s.pid == (Long) end.get("pid") && s.tid == (Long) end.get("tid"))
                .filter(s -> s.ts <= ts + NANO / 2 && ts < s.end() - NANO / 2)
                .min(Comparator.comparingDouble(Slice::dur))
                .orElseThrow(() -> new AssertionError("no slice around " + end));
    }
}

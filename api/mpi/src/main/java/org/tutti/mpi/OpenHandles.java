package org.tutti.mpi;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// The handles that the program has created with an [Mpi] and has not closed yet. Thread-safe.
final class OpenHandles {
    private static final int MAX_REPORTED = 4;

    private final Set<CommHandle> comms = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<Window> windows = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<MpiFile> files = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<Port> ports = Collections.synchronizedSet(new LinkedHashSet<>());

    /// For each description, the number of open persistent requests that have this description. A description
    /// includes the source line.
    private final Map<String, Integer> persistent = Collections.synchronizedMap(new LinkedHashMap<>());

    void made(CommHandle comm) {
        comms.add(comm);
    }

    void closed(CommHandle comm) {
        comms.remove(comm);
    }

    void made(Window window) {
        windows.add(window);
    }

    void closed(Window window) {
        windows.remove(window);
    }

    void made(MpiFile file) {
        files.add(file);
    }

    void closed(MpiFile file) {
        files.remove(file);
    }

    void made(Port port) {
        ports.add(port);
    }

    void closed(Port port) {
        ports.remove(port);
    }

    /// Called when a persistent request with this description has been prepared. Stores only the description,
    /// so that a request can be garbage collected if the program drops it.
    void prepared(String request) {
        persistent.merge(request, 1, Integer::sum);
    }

    void closed(String request) {
        persistent.computeIfPresent(request, (r, n) -> n == 1 ? null : n - 1);
    }

    /// Returns whether a port is published under this name.
    boolean isPublished(String service) {
        synchronized (ports) {
            return ports.stream().anyMatch(p -> p.publishes(service));
        }
    }

    boolean isEmpty() {
        return comms.isEmpty() && windows.isEmpty() && files.isEmpty();
    }

    /// Returns one sentence for each kind of handle that was never closed. Such handles are harmless at the end
    /// of the program, but not if the program creates them in a loop.
    ///
    /// @param except a communicator that the program has not created, or null
    List<String> never(@Nullable Communicator except) {
        List<String> texts = new ArrayList<>();
        add(texts, "communicator", comms, c -> text(c, except));
        add(texts, "window", windows, w -> w.isCloseRefused ? "" : w.name() + ", created" + w.madeAt);
        add(texts, "file", files, f -> f.path() + ", opened" + f.openedAt);
        addPersistent(texts);
        add(texts, "port", ports, p -> p.name() + ", opened" + p.openedAt);
        return texts;
    }

    private static String text(CommHandle one, @Nullable Communicator except) {
        if (one.size() == 0 || one == except) return "";
        return one.name() + ", created" + one.createdAt().at();
    }

    private void addPersistent(List<String> texts) {
        List<String> left = new ArrayList<>();
        int count = 0;
        synchronized (persistent) {
            for (Map.Entry<String, Integer> one : persistent.entrySet()) {
                count += one.getValue();
                left.add(one.getKey() + (one.getValue() == 1 ? "" : " (" + one.getValue() + " of these)"));
            }
        }
        if (count > 0) texts.add(text("persistent request", count, left));
    }

    /// @param words returns an empty string for a handle that the program need not close, or that has already
    ///     been reported
    private static <T> void add(List<String> texts, String kind, Set<T> all, Function<T, String> words) {
        List<String> left = new ArrayList<>();
        synchronized (all) {
            for (T one : all) left.add(words.apply(one));
        }
        left.removeIf(String::isEmpty);
        if (!left.isEmpty()) texts.add(text(kind, left.size(), left));
    }

    private static String text(String kind, int count, List<String> left) {
        String first = String.join("; ", left.subList(0, Math.min(MAX_REPORTED, left.size())));
        String what = count == 1 ? "a " + kind + " was" : count + " " + kind + "s were";
        return what + " never closed: " + first + (left.size() > MAX_REPORTED ? "; …" : "");
    }

    /// Describes an open window over memory of the program that is within `memory`; returns an empty string if
    /// no such window exists.
    String windowsUsing(MemoryUse memory) {
        synchronized (windows) {
            for (Window w : windows) if (w.isIn(memory)) return "the window " + w.name() + ", created" + w.madeAt + ",";
        }
        return "";
    }

    /// Checks that no window has an open epoch, for which other ranks may wait. Skips a window if `close` on
    /// this window has already failed and reported the epoch.
    void checkEpochs() {
        for (Window w : windows.toArray(Window[]::new)) {
            if (!w.isCloseRefused) WindowHandle.check(w.epochs.closes("close"));
        }
    }

    /// Returns whether an open communicator contains a process of the remote group of `children`.
    boolean connectWith(Intercomm children) {
        CommPort theirs = children.port;
        Set<Integer> processes = new HashSet<>();
        for (int r = 0; r < theirs.peerSize(); r++) processes.add(theirs.process(theirs.peerBase() + r));
        synchronized (comms) {
            for (CommHandle one : comms) {
                CommPort port = one.port;
                for (int r = 0; r < port.size(); r++) if (processes.contains(port.process(r))) return true;
            }
        }
        return false;
    }
}

package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.ByteVector;
import org.bytedeco.pytorch.GlooDeviceVector;
import org.bytedeco.pytorch.IntOptional;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.StringVector;
import org.bytedeco.pytorch.TCPStore;
import org.bytedeco.pytorch.TCPStoreOptions;
import org.bytedeco.pytorch.gloo.Device;
import org.tutti.train.Backend;
import org.tutti.train.Meeting;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;

/// Groups over Gloo, which libtorch has in it: processes that meet over TCP, without MPI.
///
///     rank 0 listens at MASTER_ADDR:MASTER_PORT ─▶ each writes its host and size there ─▶ all have come:
///     Gloo connects each with each
///
/// Nobody asks who comes. So where all ranks run on one machine, rank 0 listens at that address alone; for
/// several machines at all of its own, since it may know itself by another name than they do.
public final class Gloo implements Backend {
    private static final String HERE = "tutti/rank/";
    private static final String TIMES = "tutti/times/";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// By the service loader.
    public Gloo() {}

    @Override
    public String name() {
        return "gloo";
    }

    @Override
    public ProcessGroup join(Meeting meeting) {
        LibTorch.load();
        try (PointerScope scope = new PointerScope()) {
            TCPStore store = store(meeting);
            List<String> hosts = meet(store, meeting);
            ProcessGroupGloo gloo = connect(store, meeting);
            // the store goes when the group does
            gloo.retainReference();
            store.retainReference();
            return new GlooGroup(gloo, store, meeting, hosts);
        }
    }

    private static TCPStore store(Meeting meeting) {
        TCPStoreOptions options = new TCPStoreOptions()
                .port((short) meeting.port())
                .isServer(meeting.rank() == 0)
                .waitWorkers(false)
                .timeout(milliseconds(meeting.timeout()));
        try {
            if (meeting.rank() == 0) listenHere(meeting, options);
            return new TCPStore(meeting.address(), options);
        } catch (BindException e) {
            throw cannotListen(meeting, String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            String why = firstLine(e);
            if (meeting.rank() == 0) throw cannotListen(meeting, why, e);
            throw new TrainingException(
                    "rank " + meeting.rank() + " has not found rank 0 at " + where(meeting)
                            + " within " + seconds(meeting.timeout())
                            + "; does rank 0 run there, and can its port be reached? (" + why + ")",
                    e);
        }
    }

    private static TrainingException cannotListen(Meeting meeting, String why, Exception cause) {
        return new TrainingException(
                "rank 0 cannot listen at " + where(meeting)
                        + "; is the port taken, by a job that still runs for instance? choose another MASTER_PORT ("
                        + why
                        + ")",
                cause);
    }

    /// Where all ranks run on this machine, the store listens at the address where they meet.
    private static void listenHere(Meeting meeting, TCPStoreOptions options) throws BindException {
        try {
            InetAddress address = InetAddress.getByName(meeting.address());
            boolean isOne = meeting.localSize() == meeting.size() || isLoopback(meeting.address(), address);
            OptionalInt descriptor = isOne ? Listener.at(address, meeting.port()) : OptionalInt.empty();
            if (descriptor.isPresent()) options.masterListenFd(new IntOptional(descriptor.getAsInt()));
        } catch (BindException e) {
            throw e;
        } catch (IOException e) {
            // libtorch listens as it does for several machines
        }
    }

    /// A name of a machine may be its loopback address on the machine itself, and another one elsewhere.
    private static boolean isLoopback(String said, InetAddress address) {
        return address.isLoopbackAddress() && (said.equals("localhost") || said.matches("[0-9.]+|.*:.*"));
    }

    /// Waits until all have come; their hosts, by rank.
    private static List<String> meet(TCPStore store, Meeting meeting) {
        String self = "rank " + meeting.rank() + " of " + meeting.size();
        try {
            if (store.add(TIMES + meeting.rank(), 1) > 1) {
                throw new TrainingException(
                        self + " has come to " + where(meeting) + " twice; each process needs a RANK of its own");
            }
            store.set(HERE + meeting.rank(), new ByteVector((meeting.size() + " " + meeting.host()).getBytes(UTF_8)));
            awaitAll(store, meeting);
            List<String> hosts = new ArrayList<>();
            for (int r = 0; r < meeting.size(); r++) {
                String[] words = text(store.get(HERE + r)).split(" ", 2);
                if (!words[0].equals(Integer.toString(meeting.size()))) {
                    throw new TrainingException(self + " and rank " + r + " of " + words[0] + " have come to "
                            + where(meeting) + "; WORLD_SIZE must be the same for all");
                }
                hosts.add(words[1]);
            }
            return hosts;
        } catch (TrainingException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new TrainingException(self + " has lost rank 0 at " + where(meeting) + ": " + firstLine(e), e);
        }
    }

    /// By asking again and again: after a wait of the store's own that took too long, its answer may still
    /// come, and the next question reads it as its own.
    private static void awaitAll(TCPStore store, Meeting meeting) {
        long began = System.nanoTime(), most = meeting.timeout().toNanos();
        List<Integer> missing =
                new ArrayList<>(IntStream.range(0, meeting.size()).boxed().toList());
        while (true) {
            missing.removeIf(r -> store.check(new StringVector(HERE + r)));
            if (missing.isEmpty()) return;
            if (System.nanoTime() - began >= most) throw absent(meeting, missing);
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static TrainingException absent(Meeting meeting, List<Integer> missing) {
        String who = missing.stream().map(String::valueOf).collect(Collectors.joining(", "));
        return new TrainingException("rank " + meeting.rank() + " of " + meeting.size() + " has waited "
                + seconds(meeting.timeout()) + " at " + where(meeting) + " for rank " + who
                + "; was every process started, with the same MASTER_ADDR and MASTER_PORT?");
    }

    private static ProcessGroupGloo connect(TCPStore store, Meeting meeting) {
        try {
            ProcessGroupGloo.Options options = new ProcessGroupGloo.Options(milliseconds(meeting.timeout()));
            options.devices(new GlooDeviceVector(device(meeting)));
            return new ProcessGroupGloo(store, meeting.rank(), meeting.size(), options);
        } catch (RuntimeException e) {
            throw new TrainingException(
                    "rank " + meeting.rank() + " could not connect to the others over gloo: " + firstLine(e)
                            + "; GLOO_SOCKET_IFNAME says which network interface to use",
                    e);
        }
    }

    /// Ranks that meet at this machine's loopback address talk over it, too.
    private static Device device(Meeting meeting) {
        String asked = meeting.networkInterface();
        if (asked != null && !asked.isBlank()) return ProcessGroupGloo.createDeviceForInterface(asked);
        try {
            if (InetAddress.getByName(meeting.address()).isLoopbackAddress()) {
                return ProcessGroupGloo.createDeviceForHostname(meeting.address());
            }
        } catch (UnknownHostException e) {
            // the store was found by it, so libtorch knows better
        }
        return ProcessGroupGloo.createDefaultDevice();
    }

    static String text(ByteVector bytes) {
        byte[] all = new byte[(int) bytes.size()];
        for (int i = 0; i < all.length; i++) all[i] = bytes.get(i);
        return new String(all, UTF_8);
    }

    private static String where(Meeting meeting) {
        return meeting.address() + ":" + meeting.port();
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    private static Milliseconds milliseconds(Duration time) {
        return new Milliseconds(time.toMillis());
    }

    /// libtorch adds its own stack to what it says.
    static String firstLine(RuntimeException e) {
        String all = String.valueOf(e.getMessage());
        int end = all.indexOf('\n');
        return end < 0 ? all : all.substring(0, end);
    }
}

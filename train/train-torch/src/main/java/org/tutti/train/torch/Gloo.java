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
import org.tutti.train.ProcessGroup;
import org.tutti.train.Rendezvous;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.tensor.LibTorch;

/// Groups over Gloo, a part of libtorch: processes connect over TCP, without MPI.
///
///     rank 0 listens at MASTER_ADDR:MASTER_PORT ─▶ each rank stores its host and size ─▶ all have connected:
///     Gloo connects all pairs
///
/// Connections are not authenticated. Therefore, on Linux, rank 0 listens only at `MASTER_ADDR` if all ranks are
/// known to run on one machine: `LOCAL_WORLD_SIZE` is equal to `WORLD_SIZE`, or `MASTER_ADDR` is `localhost` or a
/// numeric loopback address. Otherwise, rank 0 listens at all addresses of its machine, because other machines
/// may reach it at a different address.
public final class Gloo implements Backend {
    private static final String HERE = "tutti/rank/";
    private static final String TIMES = "tutti/times/";
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Called by the service loader.
    public Gloo() {}

    @Override
    public String name() {
        return "gloo";
    }

    @Override
    public ProcessGroup join(Rendezvous rendezvous) {
        LibTorch.load();
        try (PointerScope scope = new PointerScope()) {
            TCPStore store = store(rendezvous);
            List<String> hosts = meet(store, rendezvous);
            ProcessGroupGloo gloo = connect(store, rendezvous);
            // the store is freed with the group
            gloo.retainReference();
            store.retainReference();
            return new GlooGroup(gloo, store, rendezvous, hosts);
        }
    }

    private static TCPStore store(Rendezvous rendezvous) {
        TCPStoreOptions options = new TCPStoreOptions()
                .port((short) rendezvous.port())
                .isServer(rendezvous.rank() == 0)
                .waitWorkers(false)
                .timeout(milliseconds(rendezvous.timeout()));
        try {
            if (rendezvous.rank() == 0) listenHere(rendezvous, options);
            return new TCPStore(rendezvous.address(), options);
        } catch (BindException e) {
            throw cannotListen(rendezvous, String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            String why = firstLine(e);
            if (rendezvous.rank() == 0) throw cannotListen(rendezvous, why, e);
            throw new TrainingException(
                    "rank " + rendezvous.rank() + " has not found rank 0 at " + where(rendezvous)
                            + " within " + seconds(rendezvous.timeout())
                            + "; is rank 0 running there, and is the port reachable? (" + why + ")",
                    e);
        }
    }

    private static TrainingException cannotListen(Rendezvous rendezvous, String why, Exception cause) {
        return new TrainingException(
                "rank 0 cannot listen at " + where(rendezvous)
                        + "; is the port in use, for example by a running job? choose a different MASTER_PORT ("
                        + why
                        + ")",
                cause);
    }

    /// Sets the store to listen only at the rendezvous address if all ranks run on this machine, and [Listener]
    /// supports the system.
    private static void listenHere(Rendezvous rendezvous, TCPStoreOptions options) throws BindException {
        try {
            InetAddress address = InetAddress.getByName(rendezvous.address());
            boolean isOne =
                    rendezvous.localSize().orElse(-1) == rendezvous.size() || isLoopback(rendezvous.address(), address);
            OptionalInt descriptor = isOne ? Listener.at(address, rendezvous.port()) : OptionalInt.empty();
            if (descriptor.isPresent()) options.masterListenFd(new IntOptional(descriptor.getAsInt()));
        } catch (BindException e) {
            throw e;
        } catch (IOException e) {
            // libtorch then listens as it does for ranks on several machines
        }
    }

    /// Returns whether the address is a loopback address, specified as `localhost` or as a number. The name of a
    /// machine does not count, because it may resolve to loopback on the machine itself, and to a different address
    /// elsewhere.
    private static boolean isLoopback(String name, InetAddress address) {
        return address.isLoopbackAddress() && (name.equals("localhost") || name.matches("[0-9.]+|.*:.*"));
    }

    /// Waits until all ranks have connected; returns the hosts, by rank.
    private static List<String> meet(TCPStore store, Rendezvous rendezvous) {
        String self = "rank " + rendezvous.rank() + " of " + rendezvous.size();
        try {
            if (store.add(TIMES + rendezvous.rank(), 1) > 1) {
                throw new TrainingException(self + " has connected to " + where(rendezvous)
                        + " twice; each process needs a different RANK");
            }
            store.set(
                    HERE + rendezvous.rank(),
                    new ByteVector((rendezvous.size() + " " + rendezvous.hostName()).getBytes(UTF_8)));
            awaitAll(store, rendezvous);
            List<String> hosts = new ArrayList<>();
            for (int r = 0; r < rendezvous.size(); r++) {
                String[] words = text(store.get(HERE + r)).split(" ", 2);
                if (!words[0].equals(Integer.toString(rendezvous.size()))) {
                    throw new TrainingException(self + " and rank " + r + " of " + words[0] + " have connected to "
                            + where(rendezvous) + "; WORLD_SIZE must be the same for all");
                }
                hosts.add(words[1]);
            }
            return hosts;
        } catch (TrainingException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new TrainingException(self + " has lost rank 0 at " + where(rendezvous) + ": " + firstLine(e), e);
        }
    }

    /// Polls the store instead of calling its blocking `wait`: after a timeout of `wait`, the store's answer
    /// could still arrive, and would be mistaken for the answer to the next request.
    private static void awaitAll(TCPStore store, Rendezvous rendezvous) {
        long began = System.nanoTime(), most = rendezvous.timeout().toNanos();
        List<Integer> missing =
                new ArrayList<>(IntStream.range(0, rendezvous.size()).boxed().toList());
        while (true) {
            missing.removeIf(r -> store.check(new StringVector(HERE + r)));
            if (missing.isEmpty()) return;
            if (System.nanoTime() - began >= most) throw absent(rendezvous, missing);
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static TrainingException absent(Rendezvous rendezvous, List<Integer> missing) {
        String ranks = missing.stream().map(String::valueOf).collect(Collectors.joining(", "));
        return new TrainingException("rank " + rendezvous.rank() + " of " + rendezvous.size() + " has waited "
                + seconds(rendezvous.timeout()) + " at " + where(rendezvous) + " for rank " + ranks
                + "; was every process started, with the same MASTER_ADDR and MASTER_PORT?");
    }

    private static ProcessGroupGloo connect(TCPStore store, Rendezvous rendezvous) {
        try {
            ProcessGroupGloo.Options options = new ProcessGroupGloo.Options(milliseconds(rendezvous.timeout()));
            options.devices(new GlooDeviceVector(device(rendezvous)));
            return new ProcessGroupGloo(store, rendezvous.rank(), rendezvous.size(), options);
        } catch (RuntimeException e) {
            throw new TrainingException(
                    "rank " + rendezvous.rank() + " could not connect to the other ranks over gloo: " + firstLine(e)
                            + "; GLOO_SOCKET_IFNAME selects the network interface",
                    e);
        }
    }

    /// Selects the network device. If the address of the rendezvous is a loopback address, the ranks also send
    /// their messages over loopback.
    private static Device device(Rendezvous rendezvous) {
        String asked = rendezvous.networkInterface();
        if (asked != null && !asked.isBlank()) return ProcessGroupGloo.createDeviceForInterface(asked);
        try {
            if (InetAddress.getByName(rendezvous.address()).isLoopbackAddress()) {
                return ProcessGroupGloo.createDeviceForHostname(rendezvous.address());
            }
        } catch (UnknownHostException e) {
            // the address is valid, because the store was found there; libtorch can resolve it
        }
        return ProcessGroupGloo.createDefaultDevice();
    }

    static String text(ByteVector bytes) {
        byte[] all = new byte[(int) bytes.size()];
        for (int i = 0; i < all.length; i++) all[i] = bytes.get(i);
        return new String(all, UTF_8);
    }

    private static String where(Rendezvous rendezvous) {
        return rendezvous.address() + ":" + rendezvous.port();
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    private static Milliseconds milliseconds(Duration time) {
        return new Milliseconds(time.toMillis());
    }

    /// Returns the first line of the message, because libtorch appends a stack.
    static String firstLine(RuntimeException e) {
        String all = String.valueOf(e.getMessage());
        int end = all.indexOf('\n');
        return end < 0 ? all : all.substring(0, end);
    }
}

package org.tutti.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;
import org.tutti.device.source.SourceException;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;

/// The modules that are loaded on a device. There is one module for each combination of a source and options.
final class KernelModules {
    /// The stack size of the thread that compiles: C compilers recurse more deeply than the default stack of a
    /// Java thread permits.
    private static final long COMPILER_STACK_BYTES = 64L << 20;

    /// Matches the first line with a position and an error: `kernel.cu:3:7: error: …`, `kernel.cu(3): error: …`
    /// or `error: kernel.cu:3:7: …`.
    private static final Pattern ERROR =
            Pattern.compile("(?m)^(?=.*\\berror\\b).*?" + Pattern.quote(KernelSource.FILE) + "[:(](\\d+)");

    private record Key(String source, List<String> options) {}

    private final Device device;
    private final DeviceDriver driver;
    private final Map<Key, Long> modules = new HashMap<>();

    KernelModules(Device device, DeviceDriver driver) {
        this.device = device;
        this.driver = driver;
    }

    Kernel kernel(String name, String text, @Nullable HostKernel host, List<String> options) {
        KernelSource source = parsed(name, text);
        KernelSignature signature = source.kernel(name)
                .orElseThrow(() -> device.error("the source has no kernel " + name + ", only "
                        + String.join(
                                ", ",
                                source.kernels().stream()
                                        .map(KernelSignature::name)
                                        .toList())));
        if (device.isHostMemory()) {
            if (host != null) return new Kernel(device, name, signature, 0, host);
            throw device.error("kernel " + name + " has no Java version, and the host has no compiler: pass one with"
                    + " device.kernel(name, source, (thread, a) -> ...), or use a device with a compiler");
        }
        return device.locked(d -> {
            Key key = new Key(text, options);
            Long module = modules.get(key);
            if (module == null) {
                module = load(name, source, options);
                modules.put(key, module);
            }
            return new Kernel(device, name, signature, driver.function(module, name), null);
        });
    }

    private KernelSource parsed(String name, String text) {
        try {
            return KernelSource.of(text);
        } catch (SourceException e) {
            throw wrong(name, text, e.line(), String.valueOf(e.getMessage()), e);
        }
    }

    private long load(String name, KernelSource source, List<String> options) {
        CompiledKernels cache;
        try {
            cache = new CompiledKernels(driver.translated(source), options, driver.compiler());
        } catch (SourceException e) {
            throw failed(name, source.text(), e);
        }
        byte[] binary = cache.read();
        if (binary != null) {
            try {
                return driver.load(binary);
            } catch (DeviceFault f) {
                if (f.reason() == Reason.LOST) throw f;
                // an updated driver rejects the cached binary, so the source is compiled again
            }
        }
        binary = compile(name, source, options);
        cache.write(binary);
        return driver.load(binary);
    }

    private byte[] compile(String name, KernelSource source, List<String> options) {
        FutureTask<byte[]> task = new FutureTask<>(() -> driver.compile(source, options));
        Thread compiler = new Thread(null, task, "kernel-compiler", COMPILER_STACK_BYTES);
        compiler.setDaemon(true);
        compiler.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw failed(name, source.text(), e.getCause());
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    private RuntimeException failed(String name, String text, @Nullable Throwable cause) {
        if (cause instanceof SourceException s) return wrong(name, text, s.line(), String.valueOf(s.getMessage()), s);
        if (!(cause instanceof DeviceFault fault)) return new IllegalStateException(cause);
        if (fault.reason() != Reason.COMPILE) return fault;
        String log = String.valueOf(fault.getMessage());
        Matcher error = ERROR.matcher(log);
        return wrong(name, text, error.find() ? Integer.parseInt(error.group(1)) : 0, log, fault);
    }

    private KernelCompileException wrong(String name, String text, int line, String log, Throwable cause) {
        List<String> lines = text.lines().toList();
        String place = line < 1 || line > lines.size()
                ? ""
                : ", line " + line + ": " + lines.get(line - 1).strip();
        return new KernelCompileException(
                device.id() + ": kernel " + name + " does not compile" + place + "\n" + log.strip(), line, log, cause);
    }

    void unload() {
        for (long module : modules.values()) driver.unload(module);
        modules.clear();
    }
}

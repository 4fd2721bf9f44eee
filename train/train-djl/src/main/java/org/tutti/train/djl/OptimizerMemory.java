package org.tutti.train.djl;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.training.optimizer.Optimizer;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.train.TrainingException;

/// The state of a DJL optimizer for each parameter: moments, momentum, and number of updates. DJL has no API
/// for the state, so this class reads the fields: the maps of arrays by parameter identifier and device in any
/// subclass, and the counts in the base class.
final class OptimizerMemory {
    private static final String COUNTS = "updateCounts", UPDATES = "numUpdate";

    private final Optimizer optimizer;
    private final List<Field> arrays = new ArrayList<>();
    private final Field counts;
    private final Field updates;

    private OptimizerMemory(Optimizer optimizer, Field counts, Field updates) {
        this.optimizer = optimizer;
        this.counts = counts;
        this.updates = updates;
    }

    /// @throws TrainingException if this version of DJL has other fields
    static OptimizerMemory of(Optimizer optimizer) {
        try {
            OptimizerMemory memory = new OptimizerMemory(
                    optimizer, Optimizer.class.getDeclaredField(COUNTS), Optimizer.class.getDeclaredField(UPDATES));
            memory.counts.setAccessible(true);
            memory.updates.setAccessible(true);
            for (Class<?> c = optimizer.getClass(); c != null && c != Optimizer.class; c = c.getSuperclass()) {
                for (Field f : c.getDeclaredFields()) if (hasArrays(f)) memory.arrays.add(f);
            }
            memory.arrays.forEach(f -> f.setAccessible(true));
            return memory;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new TrainingException(
                    "what " + optimizer.getClass().getName()
                            + " cannot be read in this version of DJL; save only the block (" + e + ")",
                    e);
        }
    }

    private static boolean hasArrays(Field field) {
        return field.getGenericType() instanceof ParameterizedType all
                && all.getRawType() == Map.class
                && all.getActualTypeArguments()[1] instanceof ParameterizedType each
                && each.getRawType() == Map.class
                && each.getActualTypeArguments()[1] == NDArray.class;
    }

    /// Returns the names of the state's arrays, for example `means`.
    List<String> names() {
        return arrays.stream().map(Field::getName).toList();
    }

    private Map<String, Map<Device, NDArray>> all(String name) {
        Field field = arrays.stream()
                .filter(f -> f.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return read(field);
    }

    @SuppressWarnings("unchecked") // by the declared type of the field
    private <T> T read(Field field) {
        try {
            return (T) field.get(optimizer);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a field that was made accessible", e);
        }
    }

    /// Returns a list with the array of a parameter on `device`; empty if the array does not exist.
    List<NDArray> arrays(String name, String parameter, Device device) {
        NDArray there = all(name).getOrDefault(parameter, Map.of()).get(device);
        return there == null ? List.of() : List.of(there);
    }

    /// Stores an array in the optimizer.
    void put(String name, String parameter, Device device, NDArray array) {
        array.detach();
        NDArray before = all(name)
                .computeIfAbsent(parameter, _ -> new ConcurrentHashMap<>())
                .put(device, array);
        if (before != null) before.close();
    }

    /// Returns the number of updates of a parameter.
    int count(String parameter) {
        return this.<Map<String, Integer>>read(counts).getOrDefault(parameter, 0);
    }

    void count(String parameter, int times) {
        this.<Map<String, Integer>>read(counts).put(parameter, times);
        try {
            updates.setInt(optimizer, Math.max(updates.getInt(optimizer), times));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a field that was made accessible", e);
        }
    }
}

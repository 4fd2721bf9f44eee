package org.tutti.serve.job;

import org.jspecify.annotations.Nullable;
import org.tutti.futures.RankFunction;
import org.tutti.serve.json.JsonType;

/// A function that clients may call.
///
/// @param text description for people
/// @param call returns the result as JSON; runs on a worker
public record ServedFunction(
        String name, String text, RankFunction<@Nullable Object, byte[]> call, JsonType argument, JsonType result) {}

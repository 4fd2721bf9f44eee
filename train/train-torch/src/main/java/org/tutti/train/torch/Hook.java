package org.tutti.train.torch;

import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bytedeco.pytorch.FunctionPostHook;
import org.bytedeco.pytorch.Node;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.GradientListener;

/// What libtorch calls when backward has added up a parameter's gradient; it tells whoever has asked last.
///
/// libtorch calls a hook for as long as anything holds its node, and does not keep it; what Java forgets, it
/// frees, and a backward that comes there fails. So hooks stay, and those that nobody listens to do nothing.
final class Hook extends FunctionPostHook {
    private static final Queue<Hook> ALL = new ConcurrentLinkedQueue<>();

    /// @param listener kept by whoever asks: a hook stays longer
    private record Asked(WeakReference<GradientListener> listener, int parameter) {}

    private volatile @Nullable Asked asked;

    private Hook() {}

    /// A parameter's hook and the node that has it: held, because libtorch makes another node when this one
    /// goes.
    record Held(Node node, Hook hook) {
        static Held of(Tensor parameter) {
            // the node that adds up a parameter's gradient is what a view of the parameter leads back to
            Node node = parameter.expand_as(parameter).grad_fn().next_edge(0).function();
            Hook hook = new Hook();
            node.add_post_hook(hook);
            node.retainReference();
            hook.retainReference();
            ALL.add(hook);
            return new Held(node, hook);
        }
    }

    /// Tells `listener` of the parameter under this number from now on; who was told before, that it is not
    /// any more.
    void setListener(GradientListener listener, int parameter) {
        Asked before = asked;
        asked = new Asked(new WeakReference<>(listener), parameter);
        GradientListener other = before == null ? null : before.listener.get();
        if (other != null && other != listener) other.onReplaced();
    }

    void removeListener(GradientListener listener) {
        Asked now = asked;
        if (now != null && now.listener.refersTo(listener)) asked = null;
    }

    @Override
    public TensorVector apply(TensorVector outputs, TensorVector inputs) {
        Asked now = asked;
        if (now == null) return outputs;
        GradientListener told = now.listener.get();
        if (told != null) told.onReady(now.parameter);
        return outputs;
    }
}

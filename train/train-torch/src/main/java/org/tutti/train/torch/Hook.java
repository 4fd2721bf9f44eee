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

/// Called by libtorch when backward has accumulated a parameter's gradient; notifies the current listener.
///
/// A hook is attached to the autograd node of the parameter. libtorch calls the hook as long as the node
/// exists, but does not keep the hook alive. If Java freed the hook, a later backward would fail. Therefore
/// hooks stay registered, and hooks without a listener have no effect.
final class Hook extends FunctionPostHook {
    private static final Queue<Hook> ALL = new ConcurrentLinkedQueue<>();

    /// @param listener weakly referenced, because a hook lives longer than the listener; the owner of the
    ///     listener must reference it
    private record Asked(WeakReference<GradientListener> listener, int parameter) {}

    private volatile @Nullable Asked asked;

    private Hook() {}

    /// A parameter's hook and the node to which it is attached. This record keeps the node alive, because
    /// libtorch would otherwise free it and later create a new node without the hook.
    record Held(Node node, Hook hook) {
        static Held of(Tensor parameter) {
            // the node that accumulates a parameter's gradient is the next node of a view of the parameter
            Node node = parameter.expand_as(parameter).grad_fn().next_edge(0).function();
            Hook hook = new Hook();
            node.add_post_hook(hook);
            node.retainReference();
            hook.retainReference();
            ALL.add(hook);
            return new Held(node, hook);
        }
    }

    /// Sets the listener, and the number by which the listener identifies the parameter; notifies the previous
    /// listener that it was replaced.
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
        GradientListener listener = now.listener.get();
        if (listener != null) listener.onReady(now.parameter);
        return outputs;
    }
}

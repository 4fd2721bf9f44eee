package org.tutti.testkit;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.testkit.contract.collective.AllgatherContract;
import org.tutti.testkit.contract.collective.AllreduceContract;
import org.tutti.testkit.contract.collective.AlltoallContract;
import org.tutti.testkit.contract.collective.AlltoallwContract;
import org.tutti.testkit.contract.collective.BarrierContract;
import org.tutti.testkit.contract.collective.BcastContract;
import org.tutti.testkit.contract.collective.CollectiveArgumentContract;
import org.tutti.testkit.contract.collective.CollectiveCornerContract;
import org.tutti.testkit.contract.collective.GatherContract;
import org.tutti.testkit.contract.collective.NonblockingCollectiveContract;
import org.tutti.testkit.contract.collective.PersistentCollectiveContract;
import org.tutti.testkit.contract.collective.ReduceContract;
import org.tutti.testkit.contract.collective.ReduceScatterContract;
import org.tutti.testkit.contract.collective.ReductionContract;
import org.tutti.testkit.contract.collective.ReproducibleContract;
import org.tutti.testkit.contract.collective.ScalarContract;
import org.tutti.testkit.contract.collective.ScanContract;
import org.tutti.testkit.contract.collective.ScatterContract;
import org.tutti.testkit.contract.comm.CommContract;
import org.tutti.testkit.contract.comm.CommCornerContract;
import org.tutti.testkit.contract.comm.CreateContract;
import org.tutti.testkit.contract.comm.GroupContract;
import org.tutti.testkit.contract.comm.SessionContract;
import org.tutti.testkit.contract.comm.SplitContract;
import org.tutti.testkit.contract.environment.ArgumentContract;
import org.tutti.testkit.contract.environment.CreationOrderContract;
import org.tutti.testkit.contract.environment.IdentityContract;
import org.tutti.testkit.contract.environment.PendingCreationContract;
import org.tutti.testkit.contract.environment.ThreadedCreationContract;
import org.tutti.testkit.contract.environment.ThreadsContract;
import org.tutti.testkit.contract.environment.VirtualThreadContract;
import org.tutti.testkit.contract.file.FileAccessContract;
import org.tutti.testkit.contract.file.FileArgumentContract;
import org.tutti.testkit.contract.file.FileContract;
import org.tutti.testkit.contract.file.FileLockContract;
import org.tutti.testkit.contract.file.FileRepresentationContract;
import org.tutti.testkit.contract.intercomm.InterCollectiveContract;
import org.tutti.testkit.contract.intercomm.InterMessageContract;
import org.tutti.testkit.contract.intercomm.IntercommContract;
import org.tutti.testkit.contract.intercomm.PortContract;
import org.tutti.testkit.contract.message.AttachedBufferContract;
import org.tutti.testkit.contract.message.MatchedProbeContract;
import org.tutti.testkit.contract.message.MessageArgumentContract;
import org.tutti.testkit.contract.message.MessageCornerContract;
import org.tutti.testkit.contract.message.MessageErrorContract;
import org.tutti.testkit.contract.message.ModesContract;
import org.tutti.testkit.contract.message.OrderContract;
import org.tutti.testkit.contract.message.ProbeContract;
import org.tutti.testkit.contract.message.SendRecvContract;
import org.tutti.testkit.contract.message.WildcardContract;
import org.tutti.testkit.contract.object.ObjectCollectiveContract;
import org.tutti.testkit.contract.object.ObjectContract;
import org.tutti.testkit.contract.object.ObjectRequestContract;
import org.tutti.testkit.contract.object.ObjectTypeContract;
import org.tutti.testkit.contract.object.SynchronousObjectContract;
import org.tutti.testkit.contract.request.ExchangeContract;
import org.tutti.testkit.contract.request.GeneralizedContract;
import org.tutti.testkit.contract.request.NonblockingContract;
import org.tutti.testkit.contract.request.PartitionedContract;
import org.tutti.testkit.contract.request.PersistentContract;
import org.tutti.testkit.contract.request.SomeRequestsContract;
import org.tutti.testkit.contract.request.StageContract;
import org.tutti.testkit.contract.topology.CartesianContract;
import org.tutti.testkit.contract.topology.GraphContract;
import org.tutti.testkit.contract.topology.NeighborContract;
import org.tutti.testkit.contract.type.ArrayViewContract;
import org.tutti.testkit.contract.type.DatatypeArgumentContract;
import org.tutti.testkit.contract.type.DerivedCollectiveContract;
import org.tutti.testkit.contract.type.DerivedContract;
import org.tutti.testkit.contract.type.DerivedNeighborContract;
import org.tutti.testkit.contract.type.DeviceMemoryContract;
import org.tutti.testkit.contract.type.PackContract;
import org.tutti.testkit.contract.type.PairContract;
import org.tutti.testkit.contract.type.RecordContract;
import org.tutti.testkit.contract.type.TypeCornerContract;
import org.tutti.testkit.contract.type.ViewArgumentContract;
import org.tutti.testkit.contract.window.AccessContract;
import org.tutti.testkit.contract.window.DynamicContract;
import org.tutti.testkit.contract.window.EpochContract;
import org.tutti.testkit.contract.window.OwnMemoryContract;
import org.tutti.testkit.contract.window.WindowArgumentContract;
import org.tutti.testkit.contract.window.WindowContract;
import org.tutti.testkit.contract.window.WindowCornerContract;
import org.tutti.testkit.trial.Contract;

/// All of them, in the order in which they run: what others build on comes first.
final class Contracts {
    private static final String SUFFIX = "Contract";

    private static final List<Class<?>> CLASSES = List.of(
            IdentityContract.class,
            BarrierContract.class,
            SendRecvContract.class,
            OrderContract.class,
            NonblockingContract.class,
            ProbeContract.class,
            MatchedProbeContract.class,
            SomeRequestsContract.class,
            ExchangeContract.class,
            ModesContract.class,
            AttachedBufferContract.class,
            PersistentContract.class,
            PartitionedContract.class,
            WildcardContract.class,
            MessageErrorContract.class,
            MessageCornerContract.class,
            ArgumentContract.class,
            DerivedContract.class,
            MessageArgumentContract.class,
            CollectiveArgumentContract.class,
            DatatypeArgumentContract.class,
            ViewArgumentContract.class,
            BcastContract.class,
            ReduceContract.class,
            AllreduceContract.class,
            GatherContract.class,
            AllgatherContract.class,
            ScatterContract.class,
            AlltoallContract.class,
            AlltoallwContract.class,
            ReduceScatterContract.class,
            ScanContract.class,
            ScalarContract.class,
            ReductionContract.class,
            CollectiveCornerContract.class,
            ReproducibleContract.class,
            NonblockingCollectiveContract.class,
            PersistentCollectiveContract.class,
            DerivedCollectiveContract.class,
            ArrayViewContract.class,
            DeviceMemoryContract.class,
            RecordContract.class,
            PackContract.class,
            PairContract.class,
            TypeCornerContract.class,
            ObjectContract.class,
            ObjectRequestContract.class,
            ObjectTypeContract.class,
            StageContract.class,
            GeneralizedContract.class,
            SynchronousObjectContract.class,
            ObjectCollectiveContract.class,
            SplitContract.class,
            GroupContract.class,
            CreateContract.class,
            CommCornerContract.class,
            CommContract.class,
            SessionContract.class,
            IntercommContract.class,
            PortContract.class,
            InterMessageContract.class,
            InterCollectiveContract.class,
            CartesianContract.class,
            GraphContract.class,
            NeighborContract.class,
            DerivedNeighborContract.class,
            WindowContract.class,
            AccessContract.class,
            EpochContract.class,
            OwnMemoryContract.class,
            DynamicContract.class,
            WindowArgumentContract.class,
            WindowCornerContract.class,
            FileContract.class,
            FileAccessContract.class,
            FileLockContract.class,
            FileRepresentationContract.class,
            FileArgumentContract.class,
            ThreadsContract.class,
            VirtualThreadContract.class,
            ThreadedCreationContract.class,
            PendingCreationContract.class,
            CreationOrderContract.class);

    private Contracts() {}

    /// Those that concern such a job; the same list on every rank.
    static List<ContractCase> of(String engine, int ranks, boolean large) {
        List<ContractCase> all = new ArrayList<>();
        for (Class<?> c : CLASSES) {
            String simple = c.getSimpleName();
            String prefix = simple.substring(0, simple.length() - SUFFIX.length());
            // the order of reflection may differ between JVMs
            Arrays.stream(c.getDeclaredMethods())
                    .filter(m -> m.isAnnotationPresent(Contract.class))
                    .sorted(Comparator.comparing(Method::getName))
                    .map(m -> new ContractCase(prefix + "." + m.getName(), m, m.getAnnotation(Contract.class)))
                    .filter(k -> k.concerns(engine, ranks, large))
                    .forEach(all::add);
        }
        return all;
    }
}

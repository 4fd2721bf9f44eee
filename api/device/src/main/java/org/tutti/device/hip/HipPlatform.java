package org.tutti.device.hip;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.CompilerFunction;
import org.tutti.device.gpu.DriverFunction;
import org.tutti.device.gpu.GpuPlatform;
import org.tutti.device.gpu.MatrixFunction;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// HIP of ROCm 5.2 and later, and HIPRTC.
///
/// No `hipDeviceProp_t`: its layout is another one since ROCm 6, the numbers of attributes are the same.
public final class HipPlatform extends GpuPlatform {
    private static final int NO_DEVICE = 100, INVALID_DEVICE = 101;

    private static final String DRIVER_ERRORS = """
            1 hipErrorInvalidValue
            2 hipErrorOutOfMemory
            3 hipErrorNotInitialized
            4 hipErrorDeinitialized
            9 hipErrorInvalidConfiguration
            13 hipErrorInvalidSymbol
            17 hipErrorInvalidDevicePointer
            21 hipErrorInvalidMemcpyDirection
            35 hipErrorInsufficientDriver
            53 hipErrorPriorLaunchFailure
            98 hipErrorInvalidDeviceFunction
            100 hipErrorNoDevice
            101 hipErrorInvalidDevice
            200 hipErrorInvalidImage
            201 hipErrorInvalidContext
            205 hipErrorMapFailed
            206 hipErrorUnmapFailed
            208 hipErrorAlreadyMapped
            209 hipErrorNoBinaryForGpu
            214 hipErrorECCNotCorrectable
            217 hipErrorPeerAccessUnsupported
            218 hipErrorInvalidKernelFile
            300 hipErrorInvalidSource
            301 hipErrorFileNotFound
            302 hipErrorSharedObjectSymbolNotFound
            303 hipErrorSharedObjectInitFailed
            304 hipErrorOperatingSystem
            400 hipErrorInvalidHandle
            401 hipErrorIllegalState
            500 hipErrorNotFound
            600 hipErrorNotReady
            700 hipErrorIllegalAddress
            701 hipErrorLaunchOutOfResources
            702 hipErrorLaunchTimeOut
            704 hipErrorPeerAccessAlreadyEnabled
            705 hipErrorPeerAccessNotEnabled
            708 hipErrorSetOnActiveProcess
            709 hipErrorContextIsDestroyed
            710 hipErrorAssert
            712 hipErrorHostMemoryAlreadyRegistered
            713 hipErrorHostMemoryNotRegistered
            719 hipErrorLaunchFailure
            720 hipErrorCooperativeLaunchTooLarge
            801 hipErrorNotSupported
            900 hipErrorStreamCaptureUnsupported
            901 hipErrorStreamCaptureInvalidated
            906 hipErrorStreamCaptureImplicit
            999 hipErrorUnknown
            1052 hipErrorRuntimeMemory
            1053 hipErrorRuntimeOther""";

    private static final String COMPILER_ERRORS = """
            1 HIPRTC_ERROR_OUT_OF_MEMORY
            2 HIPRTC_ERROR_PROGRAM_CREATION_FAILURE
            3 HIPRTC_ERROR_INVALID_INPUT
            4 HIPRTC_ERROR_INVALID_PROGRAM
            5 HIPRTC_ERROR_INVALID_OPTION
            6 HIPRTC_ERROR_COMPILATION
            7 HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE
            8 HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION
            9 HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION
            10 HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
            11 HIPRTC_ERROR_INTERNAL_ERROR
            100 HIPRTC_ERROR_LINKING""";

    private static final String MATRIX_ERRORS = """
            1 HIPBLAS_STATUS_NOT_INITIALIZED
            2 HIPBLAS_STATUS_ALLOC_FAILED
            3 HIPBLAS_STATUS_INVALID_VALUE
            4 HIPBLAS_STATUS_MAPPING_ERROR
            5 HIPBLAS_STATUS_EXECUTION_FAILED
            6 HIPBLAS_STATUS_INTERNAL_ERROR
            7 HIPBLAS_STATUS_NOT_SUPPORTED
            8 HIPBLAS_STATUS_ARCH_MISMATCH
            9 HIPBLAS_STATUS_HANDLE_IS_NULLPTR
            10 HIPBLAS_STATUS_INVALID_ENUM
            11 HIPBLAS_STATUS_UNKNOWN""";

    /// The kernel's side of the driver: its device, and that of Windows' subsystem for Linux.
    private static final List<String> KERNEL_DEVICES = List.of("dev/kfd", "dev/dxg");

    private final Path root;

    public HipPlatform() {
        this(Path.of("/"));
    }

    /// @param root of the file system that tells about devices
    public HipPlatform(Path root) {
        super(DRIVER_ERRORS, COMPILER_ERRORS, MATRIX_ERRORS);
        this.root = root;
    }

    /// Without a device the library stays out: that of Debian brings an LLVM, which ends the process when
    /// another library, as PoCL, brings one, too.
    @Override
    protected @Nullable Attempt withoutLibrary() {
        for (String device : KERNEL_DEVICES) if (Files.exists(root.resolve(device))) return null;
        return new Attempt(
                "/dev/kfd",
                "not there, so no AMD GPU; load the kernel's driver (amdgpu), and start a container with --device"
                        + " /dev/kfd --device /dev/dri");
    }

    @Override
    protected String kind() {
        return "hip";
    }

    @Override
    protected int order() {
        return 20;
    }

    @Override
    protected LibrarySearch driver() {
        return rocm("tutti.device.lib.hip", List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"));
    }

    /// Up to ROCm 5 it is in the driver's library.
    @Override
    protected LibrarySearch compiler() {
        return rocm(
                "tutti.device.lib.hiprtc",
                List.of("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so", "libamdhip64.so.5"));
    }

    private static LibrarySearch rocm(String property, List<String> names) {
        return new LibrarySearch(property, names, List.of("ROCM_PATH"), List.of("/opt/rocm*/lib"), List.of());
    }

    @Override
    protected @Nullable String compilerParts() {
        return null;
    }

    @Override
    protected @Nullable String name(DriverFunction function) {
        return switch (function) {
            case INIT -> "hipInit";
            case DRIVER_VERSION -> "hipDriverGetVersion";
            case DEVICE_COUNT -> "hipGetDeviceCount";
            case DEVICE -> "hipDeviceGet";
            case DEVICE_NAME -> "hipDeviceGetName";
            case DEVICE_UUID -> "hipDeviceGetUuid";
            case DEVICE_MEMORY -> "hipDeviceTotalMem";
            case DEVICE_PCI_ID -> "hipDeviceGetPCIBusId";
            case DEVICE_ATTRIBUTE -> "hipDeviceGetAttribute";
            case CONTEXT_RETAIN -> "hipDevicePrimaryCtxRetain";
            case CONTEXT_RELEASE -> "hipDevicePrimaryCtxRelease";
            case MAKE_CURRENT -> "hipSetDevice";
            case MEMORY_INFO -> "hipMemGetInfo";
            case ALLOCATE -> "hipMalloc";
            case FREE -> "hipFree";
            case ALLOCATE_MANAGED -> "hipMallocManaged";
            case ADDRESS_RANGE -> "hipMemGetAddressRange";
            case HOST_ALLOCATE -> "hipHostMalloc";
            case HOST_FREE -> "hipHostFree";
            case COPY_TO_DEVICE_ASYNC -> "hipMemcpyHtoDAsync";
            case COPY_TO_HOST_ASYNC -> "hipMemcpyDtoHAsync";
            case COPY_ON_DEVICE_ASYNC -> "hipMemcpyDtoDAsync";
            case CAN_ACCESS_PEER -> "hipDeviceCanAccessPeer";
            case ENABLE_PEER -> "hipDeviceEnablePeerAccess";
            case COPY_PEER_ASYNC -> "hipMemcpyPeerAsync";
            case FILL_8_ASYNC -> "hipMemsetD8Async";
            case FILL_16_ASYNC -> "hipMemsetD16Async";
            case FILL_32_ASYNC -> "hipMemsetD32Async";
            case STREAM_CREATE -> "hipStreamCreateWithFlags";
            case STREAM_DESTROY -> "hipStreamDestroy";
            case STREAM_SYNCHRONIZE -> "hipStreamSynchronize";
            case STREAM_QUERY -> "hipStreamQuery";
            case STREAM_WAIT_EVENT -> "hipStreamWaitEvent";
            case EVENT_CREATE -> "hipEventCreateWithFlags";
            case EVENT_DESTROY -> "hipEventDestroy";
            case EVENT_RECORD -> "hipEventRecord";
            case EVENT_QUERY -> "hipEventQuery";
            case EVENT_SYNCHRONIZE -> "hipEventSynchronize";
            case MODULE_LOAD -> "hipModuleLoadData";
            case MODULE_UNLOAD -> "hipModuleUnload";
            case MODULE_FUNCTION -> "hipModuleGetFunction";
            case FUNCTION_LOAD -> null;
            case FUNCTION_ATTRIBUTE -> "hipFuncGetAttribute";
            case LAUNCH -> "hipModuleLaunchKernel";
            case IPC_GET -> "hipIpcGetMemHandle";
            case IPC_OPEN -> "hipIpcOpenMemHandle";
            case IPC_CLOSE -> "hipIpcCloseMemHandle";
        };
    }

    @Override
    protected LibrarySearch matrices() {
        return rocm(
                "tutti.device.lib.hipblas",
                List.of("libhipblas.so.3", "libhipblas.so.2", "libhipblas.so.1", "libhipblas.so.0", "libhipblas.so"));
    }

    @Override
    protected String name(MatrixFunction function) {
        return switch (function) {
            case CREATE -> "hipblasCreate";
            case DESTROY -> "hipblasDestroy";
            case SET_STREAM -> "hipblasSetStream";
            case MULTIPLY_FLOATS -> "hipblasSgemm";
            case MULTIPLY_DOUBLES -> "hipblasDgemm";
        };
    }

    @Override
    protected int asItIs() {
        return 111; // HIPBLAS_OP_N
    }

    @Override
    protected @Nullable String name(CompilerFunction function) {
        return switch (function) {
            case VERSION -> "hiprtcVersion";
            case CREATE -> "hiprtcCreateProgram";
            case COMPILE -> "hiprtcCompileProgram";
            case LOG_SIZE -> "hiprtcGetProgramLogSize";
            case LOG -> "hiprtcGetProgramLog";
            case CODE_SIZE -> "hiprtcGetCodeSize";
            case CODE -> "hiprtcGetCode";
            case DESTROY -> "hiprtcDestroyProgram";
            case ARCHITECTURE_COUNT, ARCHITECTURES, PORTABLE_SIZE, PORTABLE -> null;
        };
    }

    @Override
    protected String compilerName() {
        return "HIPRTC";
    }

    @Override
    protected String driverName(int version) {
        return "HIP " + version / 10_000_000 + "." + version / 100_000 % 100 + " of ROCm";
    }

    @Override
    protected Attributes attributes() {
        return new Attributes(56, 63, 74, 23, 61, 9);
    }

    @Override
    protected long current(long context, int device) {
        return device;
    }

    @Override
    protected int ipcFlags() {
        return 1; // hipIpcMemLazyEnablePeerAccess
    }

    @Override
    protected String architecture(int major, int minor, String pciId) {
        String known = new KfdTopology(root.resolve("sys/class/kfd/kfd/topology/nodes")).architecture(pciId);
        return known == null ? "gfx" + major + "." + minor : known;
    }

    /// The compiler takes the current device's, with features (`gfx90a:xnack-`) that are known to nobody
    /// else.
    @Override
    protected Target target(String architecture, List<Integer> known) {
        return new Target(null, false);
    }

    @Override
    protected String absent() {
        return "no ROCm on this host; install it, or name its library with -Dtutti.device.lib.hip=/path/to/libamdhip64.so";
    }

    @Override
    protected @Nullable String advice(int code, String driver) {
        return switch (code) {
            case NO_DEVICE, INVALID_DEVICE ->
                driver + " is here, but no GPU is visible; look at rocminfo, at ROCR_VISIBLE_DEVICES (="
                        + VendorSetting.of("ROCR_VISIBLE_DEVICES") + "), at HIP_VISIBLE_DEVICES (="
                        + VendorSetting.of("HIP_VISIBLE_DEVICES") + ") and, in a container, at its"
                        + " --device /dev/kfd --device /dev/dri";
            case 209 -> "the binary is for another architecture";
            default -> null;
        };
    }
}

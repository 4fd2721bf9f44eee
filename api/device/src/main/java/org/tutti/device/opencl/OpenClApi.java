package org.tutti.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/// The functions of `CL/cl.h` that are used here, under their names. Handles, `size_t`, bit fields and
/// properties are `long`; lists and results are segments.
final class OpenClApi {
    private static final Linker LINKER = Linker.nativeLinker();

    private final MethodHandle clGetPlatformIDs, clGetPlatformInfo, clGetDeviceIDs, clGetDeviceInfo;
    private final MethodHandle clCreateContext, clReleaseContext;
    private final MethodHandle clCreateCommandQueueWithProperties, clReleaseCommandQueue, clFlush, clFinish;
    private final MethodHandle clSVMAlloc, clSVMFree, clEnqueueSVMMemcpy, clEnqueueSVMMemFill;
    private final MethodHandle clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList;
    private final MethodHandle clWaitForEvents, clGetEventInfo, clReleaseEvent;
    private final MethodHandle clCreateProgramWithSource, clCreateProgramWithBinary, clBuildProgram;
    private final MethodHandle clGetProgramInfo, clGetProgramBuildInfo, clReleaseProgram;
    private final MethodHandle clCreateKernel, clReleaseKernel, clSetKernelArg, clSetKernelArgSVMPointer;
    private final MethodHandle clEnqueueNDRangeKernel;

    /// @throws java.util.NoSuchElementException when the library has not all of them
    OpenClApi(SymbolLookup library) {
        clGetPlatformIDs = link(library, "clGetPlatformIDs", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
        clGetPlatformInfo =
                link(library, "clGetPlatformInfo", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
        clGetDeviceIDs = link(library, "clGetDeviceIDs", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
        clGetDeviceInfo = link(library, "clGetDeviceInfo", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
        clCreateContext =
                link(library, "clCreateContext", JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
        clReleaseContext = link(library, "clReleaseContext", JAVA_INT, JAVA_LONG);
        clCreateCommandQueueWithProperties =
                link(library, "clCreateCommandQueueWithProperties", JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
        clReleaseCommandQueue = link(library, "clReleaseCommandQueue", JAVA_INT, JAVA_LONG);
        clFlush = link(library, "clFlush", JAVA_INT, JAVA_LONG);
        clFinish = link(library, "clFinish", JAVA_INT, JAVA_LONG);
        clSVMAlloc = link(library, "clSVMAlloc", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
        clSVMFree = LINKER.downcallHandle(
                library.findOrThrow("clSVMFree"), FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
        clEnqueueSVMMemcpy = link(
                library,
                "clEnqueueSVMMemcpy",
                JAVA_INT,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS);
        clEnqueueSVMMemFill = link(
                library,
                "clEnqueueSVMMemFill",
                JAVA_INT,
                JAVA_LONG,
                JAVA_LONG,
                ADDRESS,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS);
        clEnqueueMarkerWithWaitList =
                link(library, "clEnqueueMarkerWithWaitList", JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
        clEnqueueBarrierWithWaitList =
                link(library, "clEnqueueBarrierWithWaitList", JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
        clWaitForEvents = link(library, "clWaitForEvents", JAVA_INT, JAVA_INT, ADDRESS);
        clGetEventInfo = link(library, "clGetEventInfo", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
        clReleaseEvent = link(library, "clReleaseEvent", JAVA_INT, JAVA_LONG);
        clCreateProgramWithSource =
                link(library, "clCreateProgramWithSource", JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
        clCreateProgramWithBinary = link(
                library,
                "clCreateProgramWithBinary",
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS,
                ADDRESS,
                ADDRESS,
                ADDRESS);
        clBuildProgram =
                link(library, "clBuildProgram", JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
        clGetProgramInfo =
                link(library, "clGetProgramInfo", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
        clGetProgramBuildInfo = link(
                library,
                "clGetProgramBuildInfo",
                JAVA_INT,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                JAVA_LONG,
                ADDRESS,
                ADDRESS);
        clReleaseProgram = link(library, "clReleaseProgram", JAVA_INT, JAVA_LONG);
        clCreateKernel = link(library, "clCreateKernel", JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
        clReleaseKernel = link(library, "clReleaseKernel", JAVA_INT, JAVA_LONG);
        clSetKernelArg = link(library, "clSetKernelArg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS);
        clSetKernelArgSVMPointer = link(library, "clSetKernelArgSVMPointer", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
        clEnqueueNDRangeKernel = link(
                library,
                "clEnqueueNDRangeKernel",
                JAVA_INT,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS,
                ADDRESS,
                JAVA_INT,
                ADDRESS,
                ADDRESS);
    }

    private static MethodHandle link(
            SymbolLookup library, String name, MemoryLayout result, MemoryLayout... parameters) {
        return LINKER.downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(result, parameters));
    }

    /// `cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)`
    int clGetPlatformIDs(int numEntries, MemorySegment platforms, MemorySegment numPlatforms) {
        try {
            return (int) clGetPlatformIDs.invokeExact(numEntries, platforms, numPlatforms);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *)`
    int clGetPlatformInfo(long platform, int name, long size, MemorySegment value, MemorySegment sizeRet) {
        try {
            return (int) clGetPlatformInfo.invokeExact(platform, name, size, value, sizeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *)`
    int clGetDeviceIDs(long platform, long type, int numEntries, MemorySegment devices, MemorySegment numDevices) {
        try {
            return (int) clGetDeviceIDs.invokeExact(platform, type, numEntries, devices, numDevices);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *)`
    int clGetDeviceInfo(long device, int name, long size, MemorySegment value, MemorySegment sizeRet) {
        try {
            return (int) clGetDeviceInfo.invokeExact(device, name, size, value, sizeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *, void
    /// (*)(…), void *, cl_int *)`
    long clCreateContext(
            MemorySegment properties,
            int numDevices,
            MemorySegment devices,
            MemorySegment notify,
            MemorySegment userData,
            MemorySegment errcodeRet) {
        try {
            return (long) clCreateContext.invokeExact(properties, numDevices, devices, notify, userData, errcodeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clReleaseContext(cl_context)`
    int clReleaseContext(long context) {
        try {
            return (int) clReleaseContext.invokeExact(context);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const
    /// cl_queue_properties *, cl_int *)`
    long clCreateCommandQueueWithProperties(
            long context, long device, MemorySegment properties, MemorySegment errcodeRet) {
        try {
            return (long) clCreateCommandQueueWithProperties.invokeExact(context, device, properties, errcodeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clReleaseCommandQueue(cl_command_queue)`
    int clReleaseCommandQueue(long queue) {
        try {
            return (int) clReleaseCommandQueue.invokeExact(queue);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clFlush(cl_command_queue)`
    int clFlush(long queue) {
        try {
            return (int) clFlush.invokeExact(queue);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clFinish(cl_command_queue)`
    int clFinish(long queue) {
        try {
            return (int) clFinish.invokeExact(queue);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `void *clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint)`
    long clSVMAlloc(long context, long flags, long size, int alignment) {
        try {
            return (long) clSVMAlloc.invokeExact(context, flags, size, alignment);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `void clSVMFree(cl_context, void *)`
    void clSVMFree(long context, long svmPointer) {
        try {
            clSVMFree.invokeExact(context, svmPointer);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const
    /// cl_event *, cl_event *)`
    int clEnqueueSVMMemcpy(
            long queue,
            int blocking,
            MemorySegment dst,
            MemorySegment src,
            long size,
            int numEvents,
            MemorySegment waitList,
            MemorySegment event) {
        try {
            return (int) clEnqueueSVMMemcpy.invokeExact(queue, blocking, dst, src, size, numEvents, waitList, event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clEnqueueSVMMemFill(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const
    /// cl_event *, cl_event *)`
    int clEnqueueSVMMemFill(
            long queue,
            long svmPtr,
            MemorySegment pattern,
            long patternSize,
            long size,
            int numEvents,
            MemorySegment waitList,
            MemorySegment event) {
        try {
            return (int) clEnqueueSVMMemFill.invokeExact(
                    queue, svmPtr, pattern, patternSize, size, numEvents, waitList, event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *)`
    int clEnqueueMarkerWithWaitList(long queue, int numEvents, MemorySegment waitList, MemorySegment event) {
        try {
            return (int) clEnqueueMarkerWithWaitList.invokeExact(queue, numEvents, waitList, event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *)`
    int clEnqueueBarrierWithWaitList(long queue, int numEvents, MemorySegment waitList, MemorySegment event) {
        try {
            return (int) clEnqueueBarrierWithWaitList.invokeExact(queue, numEvents, waitList, event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clWaitForEvents(cl_uint, const cl_event *)`
    int clWaitForEvents(int numEvents, MemorySegment list) {
        try {
            return (int) clWaitForEvents.invokeExact(numEvents, list);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *)`
    int clGetEventInfo(long event, int name, long size, MemorySegment value, MemorySegment sizeRet) {
        try {
            return (int) clGetEventInfo.invokeExact(event, name, size, value, sizeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clReleaseEvent(cl_event)`
    int clReleaseEvent(long event) {
        try {
            return (int) clReleaseEvent.invokeExact(event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_program clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *, cl_int
    /// *)`
    long clCreateProgramWithSource(
            long context, int count, MemorySegment strings, MemorySegment lengths, MemorySegment errcodeRet) {
        try {
            return (long) clCreateProgramWithSource.invokeExact(context, count, strings, lengths, errcodeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id *, const size_t *,
    /// const unsigned char **, cl_int *, cl_int *)`
    long clCreateProgramWithBinary(
            long context,
            int numDevices,
            MemorySegment devices,
            MemorySegment lengths,
            MemorySegment binaries,
            MemorySegment status,
            MemorySegment errcodeRet) {
        try {
            return (long) clCreateProgramWithBinary.invokeExact(
                    context, numDevices, devices, lengths, binaries, status, errcodeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(…), void
    /// *)`
    int clBuildProgram(
            long program,
            int numDevices,
            MemorySegment devices,
            MemorySegment options,
            MemorySegment notify,
            MemorySegment userData) {
        try {
            return (int) clBuildProgram.invokeExact(program, numDevices, devices, options, notify, userData);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetProgramInfo(cl_program, cl_program_info, size_t, void *, size_t *)`
    int clGetProgramInfo(long program, int name, long size, MemorySegment value, MemorySegment sizeRet) {
        try {
            return (int) clGetProgramInfo.invokeExact(program, name, size, value, sizeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t, void *,
    /// size_t *)`
    int clGetProgramBuildInfo(
            long program, long device, int name, long size, MemorySegment value, MemorySegment sizeRet) {
        try {
            return (int) clGetProgramBuildInfo.invokeExact(program, device, name, size, value, sizeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clReleaseProgram(cl_program)`
    int clReleaseProgram(long program) {
        try {
            return (int) clReleaseProgram.invokeExact(program);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_kernel clCreateKernel(cl_program, const char *, cl_int *)`
    long clCreateKernel(long program, MemorySegment name, MemorySegment errcodeRet) {
        try {
            return (long) clCreateKernel.invokeExact(program, name, errcodeRet);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clReleaseKernel(cl_kernel)`
    int clReleaseKernel(long kernel) {
        try {
            return (int) clReleaseKernel.invokeExact(kernel);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void *)`
    int clSetKernelArg(long kernel, int index, long size, MemorySegment value) {
        try {
            return (int) clSetKernelArg.invokeExact(kernel, index, size, value);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clSetKernelArgSVMPointer(cl_kernel, cl_uint, const void *)`
    int clSetKernelArgSVMPointer(long kernel, int index, long value) {
        try {
            return (int) clSetKernelArgSVMPointer.invokeExact(kernel, index, value);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// `cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t
    /// *, const size_t *, cl_uint, const cl_event *, cl_event *)`
    int clEnqueueNDRangeKernel(
            long queue,
            long kernel,
            int workDim,
            MemorySegment globalOffset,
            MemorySegment globalSize,
            MemorySegment localSize,
            int numEvents,
            MemorySegment waitList,
            MemorySegment event) {
        try {
            return (int) clEnqueueNDRangeKernel.invokeExact(
                    queue, kernel, workDim, globalOffset, globalSize, localSize, numEvents, waitList, event);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}

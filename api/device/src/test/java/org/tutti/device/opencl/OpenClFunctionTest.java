package org.tutti.device.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tutti.device.gpu.Prototypes;
import org.tutti.device.spi.DeviceFault.Reason;

class OpenClFunctionTest {
    /// The declarations of `CL/cl.h`, each after the name of the row and the type of the result.
    private static final String PROTOTYPES = """
            GET_PLATFORM_IDS cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, \
            cl_uint *num_platforms)
            GET_PLATFORM_INFO cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, \
            size_t param_value_size, void *param_value, size_t *param_value_size_ret)
            GET_DEVICE_IDS cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, \
            cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
            GET_DEVICE_INFO cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, \
            size_t param_value_size, void *param_value, size_t *param_value_size_ret)
            CREATE_CONTEXT cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices, \
            const cl_device_id *devices, void (*pfn_notify)(...), void *user_data, cl_int *errcode_ret)
            RELEASE_CONTEXT cl_int clReleaseContext(cl_context context)
            CREATE_COMMAND_QUEUE_WITH_PROPERTIES cl_command_queue clCreateCommandQueueWithProperties(\
            cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret)
            RELEASE_COMMAND_QUEUE cl_int clReleaseCommandQueue(cl_command_queue command_queue)
            FLUSH cl_int clFlush(cl_command_queue command_queue)
            FINISH cl_int clFinish(cl_command_queue command_queue)
            SVM_ALLOC void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
            SVM_FREE void clSVMFree(cl_context context, void *svm_pointer)
            ENQUEUE_SVM_MEMCPY cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, \
            void *dst_ptr, const void *src_ptr, size_t size, cl_uint num_events_in_wait_list, \
            const cl_event *event_wait_list, cl_event *event)
            ENQUEUE_SVM_MEM_FILL cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, \
            const void *pattern, size_t pattern_size, size_t size, cl_uint num_events_in_wait_list, \
            const cl_event *event_wait_list, cl_event *event)
            ENQUEUE_MARKER_WITH_WAIT_LIST cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, \
            cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
            ENQUEUE_BARRIER_WITH_WAIT_LIST cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, \
            cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
            WAIT_FOR_EVENTS cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
            GET_EVENT_INFO cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, \
            void *param_value, size_t *param_value_size_ret)
            RELEASE_EVENT cl_int clReleaseEvent(cl_event event)
            CREATE_PROGRAM_WITH_SOURCE cl_program clCreateProgramWithSource(cl_context context, cl_uint count, \
            const char **strings, const size_t *lengths, cl_int *errcode_ret)
            CREATE_PROGRAM_WITH_BINARY cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices, \
            const cl_device_id *device_list, const size_t *lengths, const unsigned char **binaries, \
            cl_int *binary_status, cl_int *errcode_ret)
            BUILD_PROGRAM cl_int clBuildProgram(cl_program program, cl_uint num_devices, \
            const cl_device_id *device_list, const char *options, void (*pfn_notify)(...), void *user_data)
            GET_PROGRAM_INFO cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, \
            size_t param_value_size, void *param_value, size_t *param_value_size_ret)
            GET_PROGRAM_BUILD_INFO cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, \
            cl_program_build_info param_name, size_t param_value_size, void *param_value, \
            size_t *param_value_size_ret)
            RELEASE_PROGRAM cl_int clReleaseProgram(cl_program program)
            CREATE_KERNEL cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
            RELEASE_KERNEL cl_int clReleaseKernel(cl_kernel kernel)
            SET_KERNEL_ARG cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, \
            const void *arg_value)
            SET_KERNEL_ARG_SVM_POINTER cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, \
            const void *arg_value)
            ENQUEUE_ND_RANGE_KERNEL cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, \
            cl_uint work_dim, const size_t *global_work_offset, const size_t *global_work_size, \
            const size_t *local_work_size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, \
            cl_event *event)""";

    private static final Pattern LINE = Pattern.compile("(\\w+) (\\w+\\*?) (\\w+\\(.*\\))");

    @Test
    void tableHasEveryNameAndWidthOfTheHeader() {
        StringBuilder withoutResults = new StringBuilder();
        PROTOTYPES.lines().forEach(line -> {
            Matcher parts = LINE.matcher(line);
            assertThat(parts.matches()).as(line).isTrue();
            withoutResults.append(parts.group(1) + " " + parts.group(3) + "\n");
            OpenClFunction row = OpenClFunction.valueOf(parts.group(1));
            assertThat(OpenClFunction.ROWS.result(row))
                    .as(line)
                    .isEqualTo(
                            switch (parts.group(2)) {
                                case "cl_int" -> 'i';
                                case "void" -> 'v';
                                default -> 'p';
                            });
        });
        Prototypes.assertSame(
                withoutResults.toString(), OpenClFunction.class, OpenClFunction.ROWS, OpenClFunction.NAME, "");
    }

    @Test
    void namesTheFirstFunctionThatALibraryLacks() {
        assertThatThrownBy(() -> OpenClFunction.bind(
                        "libold.so",
                        name -> name.startsWith("clSVM") ? Optional.empty() : Optional.of(MemorySegment.ofAddress(1))))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("Symbol not found: clSVMAlloc");
    }

    @Test
    void codesHaveNamesAndReasons() {
        assertThat(OpenClError.name(-5)).isEqualTo("CL_OUT_OF_RESOURCES (-5)");
        assertThat(OpenClError.name(-9999)).isEqualTo("error (-9999)");
        assertThat(OpenClError.fault(-4, "clFlush").reason()).isEqualTo(Reason.NO_MEMORY);
        assertThat(OpenClError.fault(-6, "clFlush").reason()).isEqualTo(Reason.NO_MEMORY);
        assertThat(OpenClError.fault(-2, "clFlush").reason()).isEqualTo(Reason.LOST);
        assertThat(OpenClError.fault(-46, "clCreateKernel").reason()).isEqualTo(Reason.NO_FUNCTION);
        assertThat(OpenClError.fault(-58, "clFlush"))
                .hasMessage("clFlush: CL_INVALID_EVENT (-58)")
                .satisfies(fault -> assertThat(fault.reason()).isEqualTo(Reason.FAILED));
    }
}

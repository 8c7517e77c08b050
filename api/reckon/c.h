/* Reckon from C, and from every language that can call C.
 *
 *   reckon_session *session;
 *   if (reckon_session_new(NULL, &session) != RECKON_OK) return 1;
 *   if (reckon_load(session, "fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree", "dot.rk") != RECKON_OK)
 *     fputs(reckon_message_text(session), stderr);
 *
 * Rules for all functions:
 * - A function that can fail returns a reckon_status. After a status other than RECKON_OK the results it would have
 *   given are unchanged, and the messages of the session or program say what is wrong.
 * - No exception leaves a function. A handle that is NULL gives RECKON_BAD_USE, and a result that is NULL or 0.
 * - Texts are UTF-8 and end with a null byte. A text or an array that a function gives belongs to the handle that it was
 *   asked of, and stays until the next call with that handle. Texts and arrays that are passed in are copied.
 * - A session, its programs and its values are used by one thread at a time; sessions are independent of each other.
 *   reckon_interrupt alone may be called from another thread or from a signal handler.
 * - A program or a set of values may be freed before or after its session.
 * - Structures begin with their size, which the caller sets (`options.size = sizeof options`), so that later versions
 *   can add members at the end. Members that are 0 have their default.
 */
#ifndef RECKON_C_H
#define RECKON_C_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It changes only when a program that was compiled with an older header would break. */
#define RECKON_ABI 1

/* How a call ended: the same numbers as the exit statuses of the command line. */
typedef enum {
  RECKON_OK = 0,
  RECKON_CHECK_FAILED = 1,  /* a check of a program does not hold */
  RECKON_BAD_USE = 2,       /* the call itself is wrong: a NULL handle, a structure's size, an index out of range */
  RECKON_SOURCE_ERROR = 3,  /* a program, an expression or an argument has a mistake */
  RECKON_MISSING = 69,      /* a device, a driver or a tool is missing, or failed */
  RECKON_INTERNAL = 70,     /* a mistake in Reckon */
  RECKON_INTERRUPTED = 130  /* reckon_interrupt ended the work */
} reckon_status;

typedef enum {
  RECKON_ON_INTERPRETER = 0,
  RECKON_ON_HOST = 1,
  RECKON_ON_GPU = 2,
  RECKON_ON_GPUS = 3, /* reckon_call alone: all GPUs of this machine together, under `float` */
  RECKON_ON_MPI = 4   /* reckon_call alone: the ranks of a job together; rank 0 gets values, the others none */
} reckon_place;

typedef struct reckon_session reckon_session; /* definitions, and what was compiled of them */
typedef struct reckon_values reckon_values;   /* a result: one value for each part of a tuple */
typedef struct reckon_program reckon_program; /* a circuit compiled for fixed sizes */

/* `0.1.0`. */
RECKON_API const char *reckon_version(void);
/* RECKON_ABI of the library that is loaded. */
RECKON_API int reckon_abi(void);

/* ---- Sessions ---- */

typedef struct {
  size_t size;
  const char *library_folder; /* NULL: the standard library that was installed with Reckon */
  const char *semantics;      /* of what names none; NULL: `float` */
  const char *kernel_folder;  /* where compiled kernels are kept from one process to the next; NULL: nowhere */
  double budget;              /* seconds that a check may take; 0: 10 */
  const int64_t *seed;        /* of checks that name none; NULL: a fixed one */
  const char *cuda_driver;    /* the driver's library; NULL: `libcuda.so.1` */
} reckon_session_options;

/* `options` may be NULL. */
RECKON_API reckon_status reckon_session_new(const reckon_session_options *options, reckon_session **session);
/* NULL is allowed, as for all functions that free. */
RECKON_API void reckon_session_free(reckon_session *session);
/* Work that is running ends soon with RECKON_INTERRUPTED. */
RECKON_API void reckon_interrupt(reckon_session *session);

/* Opens MPI for RECKON_ON_MPI. `communicator` is (uintptr_t)comm of an MPI_Comm, whose ranks all call this, and which
 * lives as long as calls are made; 0 leaves the ranks as they are, at first all that the launcher started. Gives this
 * process's rank, and how many there are. */
RECKON_API reckon_status reckon_use_ranks(reckon_session *session, uintptr_t communicator, int *rank, int *size);

/* The messages of the last call with this session: as the command line prints them, and as a list in JSON of objects
 * with `code`, `message`, `file`, `line`, `column`, `notes`, `helps`, `text`, `status`. Empty after a success without
 * notes. */
RECKON_API const char *reckon_message_text(const reckon_session *session);
RECKON_API const char *reckon_messages(const reckon_session *session);

/* Reads definitions from a program's text; its checks and shows are not carried out. `path` is the name in messages, and
 * imports start from its folder. */
RECKON_API reckon_status reckon_load(reckon_session *session, const char *text, const char *path);
RECKON_API reckon_status reckon_load_file(reckon_session *session, const char *path);
/* Brings the whole standard library into scope. */
RECKON_API reckon_status reckon_use_library(reckon_session *session);

/* A list in JSON of the names in scope. */
RECKON_API reckon_status reckon_names(reckon_session *session, const char **json);
/* A list in JSON of the circuits that reckon_load or reckon_load_file read last. */
RECKON_API reckon_status reckon_loaded(reckon_session *session, const char **json);
/* What a name is: the text of its definition, or a sentence. */
RECKON_API reckon_status reckon_describe(reckon_session *session, const char *name, const char **text);
/* What a circuit takes and gives, as an object in JSON: `static`, a list of objects with `name` and `kind` (`integer` or
 * `format`); `parameters`, with `name`, `type` (`f32`, or the name of a static parameter), `shape` (`["n", "2*m"]`) and
 * `row_major`; and `results`, likewise without names, tuples flattened. */
RECKON_API reckon_status reckon_signature(reckon_session *session, const char *circuit, const char **json);

/* Gets each outcome of a program: as an object in JSON, as `reckon --format=json` prints it (a list of them for the parts of
 * a tuple, and for messages), and as text, as `reckon run` prints it. `values` are those of a `show`, which stay until the
 * function returns, and NULL for all else. */
typedef void (*reckon_sink)(void *user, const char *json, const char *text, const reckon_values *values);
/* Carries out a program. The status is that of its gravest outcome. `sink` may be NULL. */
RECKON_API reckon_status reckon_run(reckon_session *session, const char *text, const char *path, reckon_sink sink,
                                    void *user);
/* Carries out one entry of a prompt: definitions, items, or an expression. */
RECKON_API reckon_status reckon_enter(reckon_session *session, const char *text, reckon_sink sink, void *user);
RECKON_API reckon_status reckon_evaluate(reckon_session *session, const char *expression, reckon_values **values);

/* ---- Calls ---- */

/* A tensor in the caller's memory: row-major and tightly packed. */
typedef struct {
  const char *type;     /* `f32` */
  size_t rank;          /* 0: a scalar */
  const int64_t *shape; /* of `rank` sizes */
  const void *data;     /* bit patterns; a bool is a byte */
} reckon_tensor;

typedef struct {
  size_t size;
  reckon_place on;
  const char *semantics;           /* NULL: `float` */
  const char *const *definitions;  /* `n=1000`, `T=f32`; a NULL at the end; NULL: none */
  const char *arch;                /* on a GPU: `sm_90`; NULL: the device's own */
} reckon_call_options;

/* Makes `name` this tensor in programs and expressions. */
RECKON_API reckon_status reckon_define(reckon_session *session, const char *name, const reckon_tensor *tensor);

/* Calls a circuit. `options` may be NULL. */
RECKON_API reckon_status reckon_call(reckon_session *session, const char *circuit, const reckon_tensor *arguments,
                                     size_t count, const reckon_call_options *options, reckon_values **values);

/* ---- Values ---- */

RECKON_API void reckon_values_free(reckon_values *values);
/* How many parts the result has. In the following functions `part` is less than this. */
RECKON_API size_t reckon_values_count(const reckon_values *values);
/* `f32`; of a static value `layout`, `tree`, ... */
RECKON_API const char *reckon_value_type(const reckon_values *values, size_t part);
/* The semantics' name; of a static value NULL. */
RECKON_API const char *reckon_value_semantics(const reckon_values *values, size_t part);
RECKON_API size_t reckon_value_rank(const reckon_values *values, size_t part);
RECKON_API const int64_t *reckon_value_shape(const reckon_values *values, size_t part);
RECKON_API size_t reckon_value_elements(const reckon_values *values, size_t part);
/* The bit patterns of all elements, row-major, where the semantics has them (float; FPSan's carriers); else NULL. */
RECKON_API const void *reckon_value_bits(const reckon_values *values, size_t part, size_t *bytes);
/* The text of a static value, or of one element. */
RECKON_API const char *reckon_value_text(reckon_values *values, size_t part, size_t element);
/* One form of an element, as `reckon --format=json` names it: `value`, `hex`, `bits`, `lo`, `hi`, `payload`, ...; NULL if
 * it has none such. */
RECKON_API const char *reckon_value_form(reckon_values *values, size_t part, size_t element, const char *form);
/* The same form of all elements as numbers of f64, rounded to nearest: endpoints of f64 and f32 are exact. An element
 * without the form gives a NaN. `out` has room for reckon_value_elements numbers. RECKON_BAD_USE if no element has it. */
RECKON_API reckon_status reckon_value_numbers(const reckon_values *values, size_t part, const char *form, double *out);
/* What the evaluation measured (count): an object in JSON. */
RECKON_API const char *reckon_value_summary(reckon_values *values, size_t part);

/* ---- Text ---- */

typedef struct {
  size_t size;
  const char *emit;   /* ir, kernels, report, llvm, ptx, asm, cubin, plan; NULL: ptx */
  int host;           /* llvm and asm: for the host */
  const char *semantics;
  const char *arch;   /* NULL: sm_90 */
  const char *const *definitions;
} reckon_compile_options;

/* A circuit at a stage of compilation, `bytes` long (a cubin may contain null bytes). */
RECKON_API reckon_status reckon_compile(reckon_session *session, const char *circuit,
                                        const reckon_compile_options *options, const char **text, size_t *bytes);
/* The tree of a schedule for n leaves, `((0 1) 2)`; or that of a circuit's first reduction. */
RECKON_API reckon_status reckon_tree(reckon_session *session, const char *schedule, int64_t n, const char **text);
RECKON_API reckon_status reckon_circuit_tree(reckon_session *session, const char *circuit, int64_t n,
                                             const char *const *definitions, const char **text);

typedef struct {
  size_t size;
  int64_t leaves;      /* of a schedule; 0: a tree has its own number */
  const char *form;    /* text (if NULL), svg, pdf */
  const char *as;      /* of a layout: grid, tv, banks, bits */
  const char *label;   /* offset, index, coordinate, bank, thread, value */
  const char *shade;   /* none, offset, offset:N, bank, thread, warp, value, row, column, tile */
  const int64_t *tile; /* with `tile_rank` sizes */
  size_t tile_rank;
  int64_t element_bytes; /* 0: 4 */
  int no_caption;      /* leave out title, summary and notes */
} reckon_draw_options;

/* The picture of a schedule, a tree or a layout. */
RECKON_API reckon_status reckon_draw(reckon_session *session, const char *expression,
                                     const reckon_draw_options *options, const char **text);
/* The pictures of the orders in which a circuit reduces; `leaves` is for reductions whose length the definitions leave
 * open. */
RECKON_API reckon_status reckon_draw_circuit(reckon_session *session, const char *circuit,
                                             const reckon_draw_options *options, const char *const *definitions,
                                             const char **text);

/* ---- Black boxes ---- */

/* Adds the n numbers x; or, if `y` is not NULL, the n products x[i] * y[i]. Numbers are bit patterns of the formats that
 * the options name, one in each 64-bit word. Returns 0, or anything else if it failed. */
typedef int (*reckon_box)(void *user, const uint64_t *x, const uint64_t *y, int64_t n, uint64_t *sum);

typedef struct {
  size_t size;
  int64_t n;
  const char *format, *accumulator, *result; /* NULL: f32, the result's, the elements' */
  int products;
  int64_t verify; /* random inputs on which bits are compared; 0: 50 */
  uint64_t seed;
  /* For reckon_reveal_outputs, which has no n. */
  const int64_t *shape; /* of x, with `rank` sizes; elements follow each other row by row */
  size_t rank;
  const int64_t *second_shape; /* of y, if products are added */
  size_t second_rank;
  size_t outputs; /* how many sums the box gives */
} reckon_reveal_options;

/* The order in which a box adds, as an object in JSON (docs/reveal.md). */
RECKON_API reckon_status reckon_reveal(reckon_session *session, reckon_box box, void *user,
                                       const reckon_reveal_options *options, const char **json);

/* Adds numbers of the array x, or products of them with numbers of `y` if it is not NULL, to as many sums as the options
 * say. Returns 0, or anything else if it failed. */
typedef int (*reckon_outputs_box)(void *user, const uint64_t *x, const uint64_t *y, uint64_t *sums);

/* The orders in which a box adds that gives many sums, as an object in JSON (docs/reveal.md). */
RECKON_API reckon_status reckon_reveal_outputs(reckon_session *session, reckon_outputs_box box, void *user,
                                               const reckon_reveal_options *options, const char **json);

/* ---- Kernels of PTX (docs/ptx.md) ---- */

/* An argument of a kernel: a number as text, or memory whose address the kernel gets. */
typedef struct {
  const char* number;   /* NULL: memory */
  reckon_tensor memory; /* `data` may be NULL if it is unwritten, or of zeros */
  int unwritten;        /* nobody has written the memory */
  int zeros;            /* the memory is of zeros, which are no inputs of the kernel */
} reckon_ptx_argument;

typedef struct {
  size_t size;
  const char* kernel;
  uint32_t grid[3], block[3]; /* 0 is 1 */
  uint32_t shared_bytes;      /* of dynamic shared memory */
  const char* semantics;      /* of reckon_ptx; NULL: `float` */
  uint64_t seed;              /* of the order of blocks and warps; 0: they go in order */
  uint64_t instructions;      /* of threads, at most; 0: 2^40 */
  int no_races;               /* looks neither for races nor for memory that nobody wrote */
  int nearest;                /* .approx instructions give the nearest number */
  int64_t verify;             /* of reckon_trace: random arguments on which bits are compared */
  const char* chip;           /* whose .approx instructions are meant: `h200`, or a file of tables; NULL: none */
} reckon_ptx_options;

/* Runs a kernel in the emulator. `memory` has an address for each argument, where its memory after the launch is
 * written, or NULL. Gives an object in JSON with what was counted. RECKON_CHECK_FAILED, and a message for each, if the
 * kernel does what no kernel should do. `name` is the text's in messages. */
RECKON_API reckon_status reckon_ptx(reckon_session* session, const char* text, const char* name,
                                    const reckon_ptx_argument* arguments, size_t count,
                                    const reckon_ptx_options* options, void* const* memory, const char** json);
/* The circuit of a kernel: an object in JSON with `program`, and `outputs` as `reckon trace --format=json` prints them.
 */
RECKON_API reckon_status reckon_trace(reckon_session* session, const char* text, const char* name,
                                      const reckon_ptx_argument* arguments, size_t count,
                                      const reckon_ptx_options* options, const char** json);

/* ---- Programs ---- */

typedef struct {
  size_t size;
  reckon_place on;                /* host or GPU */
  const char *semantics;          /* NULL: `float` */
  const char *const *definitions; /* static parameters, and the dimensions that do not follow from `arguments` */
  const reckon_tensor *arguments; /* types and shapes of the arguments, whose data is not read; NULL: `definitions` says
                                     every dimension */
  size_t argument_count;
  const char *arch;               /* on a GPU; NULL: the device's own */
  int device;                     /* on a GPU: as the CUDA driver counts */
} reckon_prepare_options;

/* Compiles a circuit for these sizes, to be run any number of times. On a GPU it loads the kernels, allocates the memory of
 * intermediate values, and waits for the device; it must not be called while a stream is captured. */
RECKON_API reckon_status reckon_prepare(reckon_session *session, const char *circuit,
                                        const reckon_prepare_options *options, reckon_program **program);
RECKON_API void reckon_program_free(reckon_program *program);

typedef struct {
  const char *name;     /* of a parameter; of a result NULL */
  const char *type;     /* of an element as it lies in memory; `interval` has its endpoints in one more dimension */
  size_t rank;
  const int64_t *shape;
  uint64_t bytes;       /* that it takes in memory */
  int row_major;        /* 0: on a GPU it lies as the circuit states (docs/layouts.md) */
} reckon_tensor_info;

RECKON_API size_t reckon_program_parameters(const reckon_program *program);
RECKON_API size_t reckon_program_results(const reckon_program *program);
RECKON_API reckon_status reckon_program_parameter(const reckon_program *program, size_t index, reckon_tensor_info *info);
RECKON_API reckon_status reckon_program_result(const reckon_program *program, size_t index, reckon_tensor_info *info);

/* Runs the program on tensors at these addresses, as many as it has parameters and results. Results share memory with
 * nothing else.
 * Host: addresses of the host, aligned to the elements. The results are there when the function returns.
 * GPU: addresses of the device, aligned to 16 bytes and readable up to the next multiple of 16. The kernels are queued on
 * `stream` (a CUstream of the device's primary context; NULL: the default stream), and the function returns at once. No run
 * allocates, clears or waits, so that `stream` may be under capture. Intermediate values lie in the program's own memory:
 * a program that runs on two streams at once, or in a captured graph and outside of it at once, needs another program for
 * the other. NaNs are as the hardware makes them. */
RECKON_API reckon_status reckon_program_run(reckon_program *program, const void *const *arguments, void *const *results,
                                            void *stream);
/* GPU: waits for all that the program queued, and reports what went wrong in its kernels. */
RECKON_API reckon_status reckon_program_wait(reckon_program *program);
RECKON_API const char *reckon_program_message_text(const reckon_program *program);
RECKON_API const char *reckon_program_messages(const reckon_program *program);

#ifdef __cplusplus
}
#endif

#endif

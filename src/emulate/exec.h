// SPDX-License-Identifier: Apache-2.0
/* The inside of the engine: decoded operations, lanes, warps, blocks. Shared by the files of
 * emulate/ only.
 *
 *   program   the code of a kernel and its callees, ready to run (program.c)
 *   uop       one operation on 32 lanes: two functions (all lanes / under a mask) and operand
 * places exec      what an operation sees: register bases, mask, the worker's caches warp registers
 * and the table of splits (warp.c) block     warps, shared memory, barriers (block.c) worker    a
 * host thread with the blocks it holds (launch.c)
 *
 * A register is 32 lanes, contiguous, 64-byte aligned: 64, 128, 256 or 512 bytes. A predicate is
 * one 32-bit mask. */
#ifndef EMULATE_EXEC_H
#define EMULATE_EXEC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "emulate/clock.h"
#include "emulate/devmem.h"
#include "emulate/emulate.h"
#include "emulate/engine.h"
#include "emulate/observer.h"
#include "emulate/print.h"
#include "isa/native_modifiers.h"

enum { WARP_LANES = 32 };

struct exec;
struct launch;
struct uop;
typedef void uop_fn(struct exec *x, const struct uop *u);

/* The two forms of an operation. `part` must leave lanes outside exec.mask untouched. */
struct uop_pair {
    uop_fn *full, *part;
};

/* Where an operand lives: exec.base[ref >> 30] + (ref & 0x3fffffff). */
typedef uint32_t operand_ref;
enum { BASE_FRAME, BASE_POOL, BASE_WARP, BASE_BLOCK, BASE_COUNT };
#define REF(base, offset) (((uint32_t)(base) << 30) | (uint32_t)(offset))
#define REF_NONE REF(BASE_BLOCK, 0x3fffffff)

/* What an operation on floats finds in uop.imm. */
enum float_modifiers {
    F_FTZ = 1,
    F_SAT = 2,
    F_DIRECTION = 12, /* one of the next three; 0: to nearest */
    F_RZ = 4,
    F_RM = 8,
    F_RP = 12,
    F_RELU = 16,
    F_NAN = 32, /* min.NaN */
    F_ABS = 64,
    F_XORSIGN = 128,
    F_OOB = 256,
};

enum { UOP_DESTINATIONS = 4, UOP_SOURCES = 5 }; /* tex: a handle and four coordinates */

struct uop {
    uop_fn *full, *part;
    operand_ref dst[UOP_DESTINATIONS], src[UOP_SOURCES];
    operand_ref guard; /* predicate; REF_NONE: none */
    bool guard_negated;
    bool address64;          /* address register is 64 bits wide; else 32 */
    bool has_address;        /* src[0] is an address register; else the address is imm */
    uint8_t space, bytes;    /* memory: space; bytes by lane */
    uint8_t element, vector; /* bytes of one element; elements */
    uint8_t dst_bits;        /* width of the destination registers */
    uint8_t negate;          /* bit i: source i is a negated predicate */
    bool poll;               /* may be part of a wait loop: atomic, volatile, acquire */
    bool is_whole_insn;      /* an instruction of PTX, not a helper operation before one */
    bool is_timer;           /* reads %globaltimer, not %clock */
    bool has_parts;          /* native: the address is a sum (sem_memory.h) */
    uint8_t address_shift;   /* native: of the register in the sum */
    bool uniform_pair;       /* of which `uniform`, a uniform register or REF_NONE, has 64 bits */
    operand_ref uniform;
    int64_t imm;
    const operand_ref *elements;     /* vector of more than 4: places of the destinations' elements,
                                      * then of the values'; matrix: of all operands; else NULL */
    uop_fn *inner_full, *inner_part; /* of a guarded operation */
    const struct insn *insn;
    uint32_t index; /* launch instruction index */
    /* Bytes by lane of the registers; 1 stands for a predicate, 0 for no operand. */
    uint8_t source_width[UOP_SOURCES], result_width[UOP_DESTINATIONS];
};

/* Special registers that differ by lane or warp (BASE_WARP) and by block (BASE_BLOCK): 32-bit
 * lanes, 128 bytes each, in this order. */
enum warp_special {
    WARP_TID_X,
    WARP_TID_Y,
    WARP_TID_Z,
    WARP_LANEID,
    WARP_WARPID,
    WARP_MASK_EQ,
    WARP_MASK_LE,
    WARP_MASK_LT,
    WARP_MASK_GE,
    WARP_MASK_GT,
    WARP_SPECIALS
};
enum block_special {
    BLOCK_CTAID_X,
    BLOCK_CTAID_Y,
    BLOCK_CTAID_Z,
    BLOCK_NTID_X,
    BLOCK_NTID_Y,
    BLOCK_NTID_Z,
    BLOCK_NCTAID_X,
    BLOCK_NCTAID_Y,
    BLOCK_NCTAID_Z,
    BLOCK_NWARPID,
    BLOCK_DYNAMIC_SMEM,
    BLOCK_TOTAL_SMEM,
    BLOCK_AGGR_SMEM,
    BLOCK_ZERO,
    BLOCK_ONE,
    BLOCK_WORKSPACE_HIGH,
    BLOCK_WORKSPACE_LOW,
    BLOCK_SMID,
    BLOCK_NSMID,
    BLOCK_CLUSTERID_X,
    BLOCK_CLUSTERID_Y,
    BLOCK_CLUSTERID_Z,
    BLOCK_NCLUSTERID_X,
    BLOCK_NCLUSTERID_Y,
    BLOCK_NCLUSTERID_Z,
    BLOCK_CLUSTER_CTAID_X,
    BLOCK_CLUSTER_CTAID_Y,
    BLOCK_CLUSTER_CTAID_Z,
    BLOCK_CLUSTER_NCTAID_X,
    BLOCK_CLUSTER_NCTAID_Y,
    BLOCK_CLUSTER_NCTAID_Z,
    BLOCK_CLUSTER_CTARANK,
    BLOCK_CLUSTER_NCTARANK,
    BLOCK_IS_CLUSTER, /* a predicate */
    BLOCK_SPECIALS
};

/* How a code block ends. */
enum terminator {
    TERM_FALL,
    TERM_BRANCH,
    TERM_BRANCH_INDEXED,
    TERM_CALL,
    TERM_BUILTIN,
    TERM_RET,
    TERM_EXIT,
    TERM_TRAP,
    TERM_BARRIER,
    TERM_CLUSTER_WAIT,
    TERM_PRODUCTS_WAIT, /* wgmma.wait_group */
    TERM_SYNC,
    TERM_JUMP,       /* native: to an address in registers */
    TERM_RECONVERGE, /* native: BSYNC */
    TERM_COLLECTIVE  /* native: WARPSYNC.COLLECTIVE */
};

#define CODE_END UINT32_MAX

struct code {
    const struct uop *uops; /* the body; a TERM_SYNC operation is uops[uop_count] */
    uint32_t uop_count;
    uint32_t insn_count;
    uint8_t terminator;
    bool backward;           /* ends with a branch to itself or before itself */
    const struct insn *last; /* the terminating instruction, if any */
    uint32_t last_index;     /* its launch instruction index */
    operand_ref guard;
    bool guard_negated;
    bool condition_negated;
    bool tests_divergence,
        wants_divergence;    /* native: BRA.DIV and .CONV; the mask is uops[uop_count]'s source */
    bool takes_all;          /* native: BRA.U.ANY: if any lane goes, all do */
    operand_ref condition;   /* native: a second guard, as in @P0 BRA P1; REF_NONE: none */
    uint32_t next;           /* fall-through code block, CODE_END: none */
    uint32_t target;         /* branch target; direct call: index into program.functions */
    uint32_t reconverge;     /* immediate post-dominator, CODE_END: end of the function */
    const uint32_t *targets; /* TERM_BRANCH_INDEXED */
    uint32_t function;       /* index into program.functions */
    const struct call_site *site; /* TERM_CALL, TERM_BUILTIN */
    operand_ref callee_register;  /* indirect call: module function + 1; REF_NONE: direct */
    uint8_t callee_bytes;         /* of a lane of that register: 4 or 8 */
    uint8_t builtin;              /* TERM_BUILTIN */
};

/* One value of a call, in the frame of the caller or of the callee. Offsets are by lane. */
struct call_value {
    uint32_t offset, bytes;
    uint8_t home; /* enum parameter_home */
};
/* Where a variable of space PARAM lies. */
enum parameter_home {
    HOME_FRAME,  /* of its function's parameters */
    HOME_LOCAL,  /* of its function's local memory, as its address is taken (PTX ISA, mov) */
    HOME_LAUNCH, /* the kernel's parameter block */
};
/* The values of a call as one side sees them. Both sides have one signature: as many values, each as
 * large (call_sites.c). */
struct call_site {
    uint32_t signature;
    uint32_t argument_count, return_count;
    const struct call_value *arguments, *returns;
};

/* With the tool memory: an array between red zones. */
struct guarded {
    uint64_t begin, end; /* in shared memory, or in the function's local memory */
    uint64_t shift;      /* what red zones before it take */
    const char *name;
};

struct program_function {
    const struct function *function;
    uint32_t first_block;
    uint32_t frame_bytes;         /* registers */
    uint32_t parameter_bytes;     /* of the parameter frame, by lane */
    uint32_t local_bytes;         /* by lane */
    bool address_taken;           /* an indirect call may reach it */
    const struct guarded *arrays; /* its local variables, if local memory is guarded */
    uint32_t array_count;
    struct call_site formals; /* its parameters and results */
    uint32_t zero_count;      /* registers that may be read before they are written */
    const uint32_t *zero_offsets, *zero_bytes;
    const uint32_t *zero_registers; /* which; NULL: native code */
};

/* Shared memory that the system takes from each block from cc 8.0 on (CUDA C++ Programming Guide, compute
 * capabilities). As on hardware it comes first; kernels that do not ask where it lies are not shown it, so
 * that an access below their own memory is seen. Region 1 is that of cooperative groups, at least 288
 * bytes (its header memory.h); where in the kibibyte is a guess. */
enum { RESERVED_SHARED_BYTES = 1024, RESERVED_SHARED_REGION_1 = 512 };

/* An operand c[bank][offset], whose 32 lanes in the pool the launch fills: 4 bytes each, a pair as two such
 * registers one behind the other. */
struct bank_operand {
    uint32_t bank, offset, at, words;
};

struct program {
    struct arena arena;
    const struct module *module;
    uint64_t module_id; /* the pointer may be another module's by now */
    uint32_t entry;
    uint32_t function_count;
    struct program_function *functions; /* [0]: the entry */
    const uint32_t *function_of; /* by module function: index into functions plus 1, 0: not there */
    uint32_t code_count;
    struct code *code;
    struct launch_view view; /* arrays; the launch fills in geometry */
    unsigned char *pool;     /* constants, 32 lanes each */
    uint32_t pool_bytes;
    uint32_t bank_operand_count;
    const struct bank_operand *bank_operands;
    const struct native_code *native_code; /* of the entry; NULL: PTX */
    const uint64_t *addresses;             /* of the module's variables in device memory */
    uint64_t static_shared_bytes;
    uint64_t
        shared_base; /* where shared memory of the user begins: behind what the system reserves */
    uint64_t static_shift, dynamic_shift; /* what red zones take of shared memory */
    const struct guarded *shared_arrays;  /* static ones, ascending, if shared memory is guarded */
    uint32_t shared_count;
    bool guards_shared, guards_local;
    bool warps_at_barriers;      /* before sm_70 a barrier counts warps */
    struct compiling *compiling; /* NULL: the device has no other engine */
    struct launch_kit *kit;      /* that the last launch left (launch_kit.h); NULL: none */
    bool recursive;
    bool prints;                     /* calls vprintf */
    bool uses_heap;                  /* calls malloc or free */
    uint32_t locals_end;             /* of local variables, in a thread's local memory */
    uint32_t stack_begin, stack_end; /* what alloca hands out lies behind them */
    uint32_t frame_bytes_max, parameter_bytes_max, local_bytes_max; /* over any call path */
    uint32_t frame_bytes_first; /* of frame_bytes_max: what a warp has before its first call */
};

struct semantics {
    const char *name;
    int level; /* as semantics_at takes it */
    /* The lane loops for an instruction; {NULL, NULL} if this form is not supported. */
    struct uop_pair (*select)(const struct insn *insn, const struct function *function);
    uop_fn *guarded;                             /* runs inner_* under the guard */
    uop_fn *special16, *special64, *clock_value; /* special registers of other widths */
    uop_fn *local_address;                       /* imm + the frame's local memory */
    /* Native: pairs of registers to lanes of 64 bits and back; sign bits of a source (imm: which, and how). */
    uop_fn *join_pair, *split_pair, *set_signs, *guarded_quietly;
    uop_fn *uniform; /* runs inner_full for all lanes */
};
extern const struct semantics semantics_base;
#if defined(__x86_64__)
extern const struct semantics semantics_v3, semantics_v4;
#endif
const struct semantics *semantics_at(int level);

/* Generic addresses (devmem.h): where the window of a space begins, and whose window an address lies
 * in. What has no window is global memory, at its own address. */
static inline uint64_t space_window(unsigned space)
{
    return space == SPACE_SHARED  ? SHARED_WINDOW
           : space == SPACE_LOCAL ? LOCAL_WINDOW
           : space == SPACE_PARAM ? PARAM_WINDOW
                                  : 0;
}
/* Shared memory of a cluster (cluster.c). A block's own memory has the addresses from 0 on; that of the block of rank r has
 * those from (r + 1) * SHARED_WINDOW_BYTES on, for all blocks of the cluster. Generic addresses of these are
 * SHARED_WINDOW + SHARED_WINDOW_HIGH further on, so that the lower 32 bits of what cvta.to.shared makes of them are the
 * addresses. */
enum { CLUSTER_BLOCKS_MAX = 16 };
#define CLUSTER_WINDOW_BYTES ((CLUSTER_BLOCKS_MAX + 2) * SHARED_WINDOW_BYTES)
static inline enum mem_space window_of(uint64_t address)
{
    if (address >= HEAP_BASE)
        return address - SHARED_WINDOW_HIGH < CLUSTER_WINDOW_BYTES ? SPACE_SHARED : SPACE_GLOBAL;
    if (address - SHARED_WINDOW < SHARED_WINDOW_BYTES) return SPACE_SHARED;
    if (address - LOCAL_WINDOW < LOCAL_WINDOW_BYTES) return SPACE_LOCAL;
    if (address - PARAM_WINDOW < PARAM_WINDOW_BYTES) return SPACE_PARAM;
    return SPACE_GLOBAL;
}

static inline uint64_t cluster_address(uint32_t rank, uint64_t offset)
{
    return (rank + 1) * SHARED_WINDOW_BYTES + offset;
}
static inline uint64_t shared_to_generic(uint64_t address)
{
    return address + SHARED_WINDOW + (address >= SHARED_WINDOW_BYTES ? SHARED_WINDOW_HIGH : 0);
}

/* The address in its own space. */
static inline uint64_t window_offset(uint64_t address, unsigned space)
{
    if (space != SPACE_SHARED) return address - space_window(space);
    uint64_t high = address - SHARED_WINDOW_HIGH;
    if (high < SHARED_WINDOW_BYTES || high >= CLUSTER_WINDOW_BYTES)
        return address & (SHARED_WINDOW_BYTES - 1);
    return high - SHARED_WINDOW;
}

/* Parameter frames of functions: as local memory, by lane. Beside enum mem_space in uop.space. */
enum { SPACE_FRAME = SPACE_COUNT };

/* Native: does the operation read and write pairs of registers as they lie, low words before high ones? Others get
 * lanes of 64 bits from helpers (native_operands.c), and so do operations of PTX with signs of pairs. */
static inline bool keeps_pairs(const struct insn *insn)
{
    if (op_infos[insn->op].form == FORM_NATIVE || insn->matrix) return true;
    for (unsigned k = 0; k < insn->nsrc; k++) {
        const struct operand *operand = insn_source(insn, k);
        bool has_signs = operand->negate || operand->absolute;
        if (operand->width == WIDTH_PAIR && has_signs) return false;
    }
    if (insn->op == OP_SETP) return insn->type == TYPE_F64;
    if (insn->op != OP_CVT || insn->flags & (INSN_SAT | INSN_FTZ | INSN_RELU | INSN_SATFINITE))
        return false;
    unsigned to = insn->type, from = insn->type2;
    if (to == TYPE_S32 && from == TYPE_F64) return insn->rounding >= ROUND_RNI;
    if (to == TYPE_F64 && from == TYPE_F32) return true;
    return insn->rounding == ROUND_RN &&
           ((to == TYPE_F32 && from == TYPE_F64) ||
            (to == TYPE_F64 && (from == TYPE_S32 || from == TYPE_U32)));
}

/* program.c. Is a source one of these special registers? */
bool program_reads_special(const struct insn *insn, int32_t first, int32_t last);
/* program.c. device: variables are placed there. */
/* native_launch.c: bank 0 of a launch, to be freed, and its size; the pool with what operands in banks read. */
/* %total_smem_size: in units of allocation, without what is reserved (PTX ISA, special registers). */
uint32_t launch_total_shared(const struct launch *launch);
/* Adds what sm_80 to 89 reserve of shared memory to launch->shared_end, if the kernel asks where it is. */
void native_reserve_shared(struct launch *launch);
/* Refuses clusters whose blocks compute addresses in shared memory from their rank. */
ws_status native_check_clusters(struct diag *diag, const struct launch *launch);
unsigned char *native_bank_zero(const struct launch *launch, uint64_t *out_bytes);
unsigned char *native_fill_pool(const struct launch *launch);

ws_status program_create(struct diag *diag, struct device *device, const struct module *module,
                         uint32_t entry, const struct semantics *semantics, struct program **out);
void program_destroy(struct program *program);

/* Register slots of one function: offset in the frame by vreg, UINT32_MAX if never used. Returns the
 * bytes of all; beyond UINT32_MAX the offsets mean nothing. */
uint64_t slots_assign(const struct function *function, uint32_t *offsets);
uint32_t register_bytes(enum ptx_type type);

/* ---- running state --------------------------------------------------------------------------- */

enum fault_kind {
    FAULT_NONE,
    FAULT_OUT_OF_BOUNDS,
    FAULT_FREED,
    FAULT_MISALIGNED,
    FAULT_UNINITIALISED,
    FAULT_TOO_WIDE,
    FAULT_OUT_OF_SCOPE, /* with checks: local memory of no function at hand */
    FAULT_READ_ONLY,
    FAULT_NOT_SHARED, /* an mbarrier object at a generic address */
    FAULT_NO_BLOCK,   /* shared memory of a block that the cluster does not have */
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_DEADLOCK,
    FAULT_ENDLESS, /* with checks: the state of a block repeats */
    FAULT_LIMIT,
    FAULT_STACK,
    FAULT_CALLEE,
    FAULT_BARRIER_ID,
    FAULT_BRANCH_INDEX,
    FAULT_TEXTURE,
    FAULT_FREE,
    FAULT_MATRIX,
    FAULT_TENSOR_MAP,
    FAULT_OUTSIDER,       /* no fault: noted */
    FAULT_TEXTURE_BOUNDS, /* no fault: told the checker */
    FAULT_CANCELLED
};

struct fault {
    enum fault_kind kind;
    uint64_t block;
    uint64_t order; /* of the block (struct block) */
    uint32_t warp, lane;
    const struct insn *insn;
    uint8_t space;
    bool store;
    uint64_t address;
    uint32_t bytes;
    uint32_t frame_bytes; /* of the parameters of the function at fault */
    char *detail; /* malloc'ed further lines (deadlock: waiting threads; assertion), or NULL */
};

/* Longest step of the shape of a warp's addresses. Fifteen of them do not go round all addresses: lanes between two
 * that lie in one range lie in it, too, so that whoever checks the ends of the halves has checked all. */
#define STEP_MAX (UINT64_C(1) << 58)

/* The allocation a memory operation touched last. */
struct memo {
    uint64_t low, high; /* [low, high) */
    struct allocation *allocation;
};

struct frame {
    struct frame *next_made; /* all frames the warp ever made */
    struct frame *parent;
    uint32_t references; /* splits and frames that point here */
    uint32_t function;   /* index into program.functions */
    uint32_t return_block;
    uint32_t depth;                         /* frames below; root: 0 */
    const struct call_site *site;           /* the caller's values; root: NULL */
    uint32_t registers, parameters, locals; /* offsets in the warp's stacks */
    uint32_t stacked;                       /* bytes of registers of all frames below */
    uint32_t stack[WARP_LANES];             /* top of alloca's stack at the call; if there is one */
};

/* Since lanes had their last turn: backward branches, those before which they polled once more, and those
 * before which they polled or read a clock since they changed memory. Splits that part inherit it, so that no loop is
 * without end because its lanes part and meet in it. */
struct turns {
    uint32_t backward, polls, quiet;
    bool polled; /* since the last backward branch */
    bool timed;  /* the same: read a clock */
    bool waits;  /* a phase of an mbarrier object that it looked at has not ended */
};

/* Does the next backward branch count as that of a loop that waits? */
static inline bool turns_wait(const struct turns *turns)
{
    return turns->polled || turns->timed || turns->waits;
}

/* Lanes that will meet again at `block` of `frame`. */
struct node {
    uint32_t block;
    int32_t parent;
    uint32_t live, arrived; /* lanes below this node; lanes that wait at it */
    struct frame *frame;
    uint64_t stamp;
    struct turns turns; /* of those that wait */
    bool used;
};

enum split_state {
    SPLIT_READY,
    SPLIT_AT_BARRIER,
    SPLIT_AT_CLUSTER,
    SPLIT_AT_PRODUCTS,
    SPLIT_AT_SYNC
};

struct split {
    uint32_t block; /* code block to run, or whose terminator it waits at */
    uint32_t mask;
    int32_t node; /* -1: none */
    uint8_t state;
    uint8_t barrier; /* SPLIT_AT_BARRIER: its number */
    struct frame *frame;
    uint64_t stamp; /* when it last ran: least recent first in round-robin */
    struct turns turns;
};

/* A warp's clock (clock.h), in ticks; `at`: its instructions. */
struct warp_clock {
    uint64_t reads, misses, at, first_at;
    double last, reported, first, pace;
};

struct warp {
    struct split splits[WARP_LANES + 2]; /* two more while a split is being replaced */
    uint32_t split_count;
    uint32_t nodes_used; /* those beyond were never used */
    uint32_t node_capacity;
    struct node *nodes; /* a call makes one, too: as many as lanes and call depth ask for */
    uint32_t index;
    uint32_t threads;           /* lanes that exist */
    uint32_t dead;              /* lanes that do not exist or have left */
    uint32_t carry;             /* condition code of add.cc, by lane */
    uint32_t stack[WARP_LANES]; /* top of alloca's stack */
    uint64_t stamp;
    unsigned char *registers, *parameters, *locals;
    size_t register_bytes;
    struct frame *free_frames, *made_frames, root;
    uint32_t live_frames; /* besides the root */
    uint32_t node_hint;   /* nodes before it are all in use */
    uint64_t instructions;
    uint64_t products; /* of wgmma that it has executed */
    uint32_t
        cluster_arrived; /* lanes that have arrived at the cluster's barrier and not waited yet */
    uint32_t cluster_phases; /* parity of the phase in which each lane arrived last */
    bool follows_paths;      /* the observer does not need each event of this warp */
    uint32_t ordered_lanes;  /* those that the checker was last told to run together */
    struct warp_clock clock;
    struct warp_ref ref;
    struct defined_warp *defined; /* defined.h; NULL: not tracked */
    bool done;
};

enum { BARRIERS = 16 };

struct barrier_state {
    uint32_t arrived;    /* threads, or 32 x warps before sm_70 */
    uint32_t expected;   /* 0: all that live */
    uint32_t true_count; /* bar.red: lanes whose predicate holds */
    uint32_t lanes;      /* bar.red: lanes that arrived */
};

/* Blocks that are on the GPU at the same time, access the shared memory of each other, and wait for each other at a
 * barrier (cluster.c). Without clusters in the launch each block is one. */
struct cluster {
    uint32_t size;                            /* blocks; 0: of a launch without clusters */
    uint32_t living;                          /* those that have not ended */
    struct block *blocks[CLUSTER_BLOCKS_MAX]; /* by rank */
    uint32_t threads_alive, arrived;          /* at the barrier, of those that live */
    bool phase;                               /* parity of the barrier's current phase */
    struct cluster *next;                     /* of those that are free */
};

struct block {
    uint64_t index;
    uint64_t
        order; /* in which blocks are begun and told: the index, or with clusters one cluster after the other */
    uint32_t rank;                  /* in the cluster */
    struct cluster *cluster, alone; /* alone: that of a launch without clusters */
    bool is_stuck;                  /* its last turn changed nothing that others wait for */
    struct worker *worker;
    uint32_t warp_count, warps_alive, threads_alive;
    struct warp *warps;
    unsigned char *shared;
    uint64_t *shared_defined; /* a bit a byte (defined.h); NULL: not tracked */
    struct barrier_state barriers[BARRIERS];
    uint32_t arrivals; /* bit set: barriers at which some have arrived */
    uint32_t specials[BLOCK_SPECIALS][WARP_LANES] __attribute__((aligned(64)));
    uint64_t instructions;
    uint64_t yielded_at; /* instructions at the last turn */
    struct block_clocks clocks;
    void *observed; /* the observer's state of this block */
    void *ordering; /* the checker's, of CHECK_RACE; NULL: none */
    struct printed printed;
    struct sync_state *sync; /* check_sync.h; NULL: not checked */
    struct block *next;
};

/* What an operation sees. */
struct exec {
    unsigned char *base[BASE_COUNT];
    uint32_t mask;       /* lanes that execute */
    uint32_t polled;     /* set by polling accesses since the split was scheduled */
    bool timed;          /* the same by clock reads */
    bool waits;          /* the same by mbarrier waits for a phase that has not ended */
    uint32_t changed;    /* lanes that changed shared or global memory since the last code block */
    uint64_t idle_turns; /* that polling splits have taken since anyone changed memory */
    uint64_t changes, polls; /* code blocks that changed memory, and that polled */
    uint64_t releases;       /* barriers that were completed */
    int32_t lane_mask[WARP_LANES] __attribute__((aligned(64))); /* -1 or 0, from mask */
    struct warp *warp;
    struct frame *frame;
    struct block *block;
    struct cluster *cluster;
    bool clustered;                     /* it has more than this block */
    struct memo *memos;                 /* by launch instruction */
    const struct observer_ops *observe; /* NULL: none */
    void *observer_worker;
    const struct checker *check;      /* NULL: none */
    unsigned checks;                  /* set of enum check_tool; 0: none */
    bool guards_shared, guards_local; /* there are red zones (red_zones.c) */
    bool tracks;                      /* what is initialised (defined.h), and then: */
    unsigned char *undefined;         /* undefined bits of the frame */
    uint32_t *origins;                /* where they came from */
    struct defined *defined;
    struct launch *launch;
    struct compiling *compiling;            /* NULL: the interpreter alone (engine.c) */
    const struct engine_code *engine_code;  /* NULL: not compiled yet */
    unsigned char *engine_memory;           /* what the code keeps from one body to the next */
    bool follows_paths;                     /* of the warp */
    uint64_t returns_left;                  /* of a compiled path to its first step */
    struct path_turn turns[PATH_TURNS_MAX]; /* of one with forks */
    struct path_turn *turn, *turns_end;     /* that is under way; behind the last */
    const struct code *ended; /* to whose end the warp whose turn it is has come; NULL: to none */
    uint64_t compiled;        /* warp instructions that compiled code executed */
    const struct insn *last;  /* end of the code block that ran last */
    struct fault fault;
    struct fault tolerated; /* the first access that only hardware lets pass */
    struct fault kept;     /* the first that was told the checker, where hardware ends the launch */
    uint32_t told_below;   /* lanes below are not to be told once more of the access at hand */
    uint64_t bad_accesses; /* of lanes, told the checker */
    const struct insn
        *last_told; /* of the last of them, and how many of it came one after the other */
    uint64_t told;
    struct fault outsider; /* the first lane that its member mask leaves out */
    unsigned char *shared, *locals, *parameters; /* of this block, warp, frame */
    uint32_t local_stride, parameter_stride;     /* bytes by lane */
    uint32_t parameter_bytes;                    /* of this frame, by lane */
    bool concurrent; /* other threads run blocks: atomics must be real */
    /* Blocks run in any order: what others left in global memory must not decide whose turn it is, so every
     * atomic there counts as a change. */
    bool independent;
};

enum { LAUNCH_LOCKS = 64 };

struct launch {
    struct device *device;
    struct devmem *memory;
    const struct program *program;
    const struct launch_options *options;
    struct launch_view view;         /* what observers see */
    const unsigned char *parameters; /* the parameter block, padded with zeros; native: bank 0 */
    unsigned char *bank_pool; /* native: the program's pool with operands in banks filled in */
    uint64_t parameter_bytes;
    uint64_t shared_bytes; /* of the user */
    uint64_t shared_end;   /* the same behind what is reserved, or with it behind */
    uint64_t
        reserved_at; /* native code of sm_80 to 89: what is reserved, behind the user's; 0: none */
    uint32_t threads_per_block, warps_per_block;
    uint64_t block_count;                                 /* of the grid */
    uint32_t (*warp_specials)[WARP_SPECIALS][WARP_LANES]; /* by warp in block */
    struct launch_kit *kit;                               /* what it takes over from the last */
    uint64_t max_instructions;
    struct block_sample *sample; /* NULL: every block */
    uint64_t sampled;            /* blocks to execute */
    uint64_t units;              /* that are handed out: blocks, runs of a sample, or clusters */
    uint64_t next_unit;          /* atomic: the next to hand out */
    uint64_t finished;           /* atomic */
    uint32_t cluster[3], cluster_blocks; /* blocks by cluster; 0: a launch without clusters */
    uint64_t fault_block;         /* atomic: least order of a block that failed, UINT64_MAX */
    uint64_t shown_tenths;        /* time of the last progress message */
    struct print_log *printed;    /* NULL: printf output is dropped */
    struct mem_pool *pool;        /* of the call, for its threads */
    uint64_t wanted;              /* atomic: bytes of a failed allocation */
    bool is_without_memory;       /* atomic */
    uint32_t locks[LAUNCH_LOCKS]; /* of 16-byte atomics: 1 while one executes */
};

/* The lock of 16 aligned bytes. */
static inline uint32_t *launch_lock(struct launch *launch, const void *at)
{
    return &launch->locks[((uintptr_t)at >> 4) % LAUNCH_LOCKS];
}

struct worker {
    struct exec exec;
    struct launch *launch;
    struct block *free_blocks;
    uint64_t resident;  /* blocks that have begun and not ended */
    uint64_t repeating; /* turns of blocks, one after the other, whose state repeated */
    uint64_t changes;   /* of exec, when the first of them was noted */
    uint64_t stuck;     /* turns, one after the other, of blocks that were stuck */
    struct cluster *free_cluster;

    bool first;         /* shows progress */
    struct fault fault; /* of the least block that failed here */
    uint64_t instructions, clock_misses;
    void *observed;
};

/* What malloc of kernels hands out (heap.c). */
struct heap {
    pthread_mutex_t mutex;
    uint64_t bytes, address;
    uint32_t *tags;             /* by unit; NULL: no kernel has used it yet */
    struct heap_blocks *blocks; /* with the tool memory, else NULL (check_heap.c) */
    uint32_t units, next;
};

struct device {
    struct devmem memory;
    struct heap heap;
    unsigned threads;
    const struct checker *check;   /* NULL: none */
    struct partial_bytes *partial; /* defined.h; NULL: nothing was tracked yet */
    struct computed *computed;     /* defined_copy.c */
    const struct semantics *semantics;
    ws_device_call_fn *call; /* of the device runtime; NULL: such kernels are refused */
    void *call_user;
    const struct engine *engine;  /* NULL: the interpreter alone */
    uint64_t compile_after;       /* warp instructions of a kernel */
    struct placement *placements; /* variables of modules, placed once */
    uint32_t placement_count, placement_room;
    bool keeps_programs;
    struct program **programs; /* made by earlier launches, if they are kept */
    uint32_t program_count, program_room;
    uint64_t kit_bytes;            /* that the programs keep (launch_kit.h) */
    struct texture_slot *textures; /* texture.c */
    uint32_t texture_count, texture_room;
};

/* device.c: address of a module-level variable, placing all of the module's on first use. */
ws_status device_place(struct diag *diag, struct device *device, const struct module *module,
                       const uint64_t **out_addresses);

/* warp.c */
/* Yielded: some lanes polled for their whole turn, even if all wait at a barrier now. Waits: all that did so wait for
 * mbarrier objects. Abreast: it may go on, and all other warps stand where it does (abreast.h). */
enum warp_stop { WARP_DONE, WARP_BLOCKED, WARP_WAITS, WARP_YIELDED, WARP_ABREAST, WARP_FAULT };
void warp_start(struct worker *worker, struct block *block, struct warp *warp);
/* What alloca hands out is free. */
void warp_reset_stack(struct warp *warp, const struct program *program);
static inline bool has_alloca(const struct program *program)
{
    return program->stack_end > program->stack_begin;
}
enum warp_stop warp_run(struct worker *worker, struct block *block, struct warp *warp);
/* Lets lanes that wait at a reconvergence point go on without the others; false if none do. */
bool warp_release(struct exec *x, struct warp *warp);
/* launch.c: the user asked to stop. */
bool launch_cancelled(const struct launch *launch);

/* block.c */
void block_start(struct worker *worker, struct block *block, uint64_t index);
enum block_stop { BLOCK_DONE, BLOCK_YIELDED, BLOCK_FAULT };
/* quantum: instructions after which the block yields, if it seems to wait; 0: never */
enum block_stop block_run(struct worker *worker, struct block *block, uint64_t quantum);
/* That no warp of the block can proceed becomes the fault. */
void block_deadlock(struct exec *x, struct block *block);
struct block *block_take(struct worker *worker);
void block_give(struct worker *worker, struct block *block);
/* It outlives the call. */
void block_keep(struct block *block);
void block_destroy(struct block *block);
/* A split has come to a barrier; true if it may go on at once. */
bool block_barrier(struct exec *x, struct block *block, struct warp *warp, struct split *split,
                   const struct code *code);
/* After lanes have left: barriers that wait for all may be complete. */
void block_recheck(struct exec *x, struct block *block);
/* Does a barrier instruction wait for all threads of the block, and give no result? */
bool barrier_waits_for_all(const struct insn *insn);

/* call.c: the value of `lane` in a frame of the warp. */
unsigned char *call_value_place(const struct exec *x, const struct warp *warp,
                                const struct frame *frame, const struct call_value *value,
                                uint32_t lane);

/* clock.c: the next value of the warp at hand. */
uint64_t clock_read(struct exec *x, bool is_timer);
/* Of a block that has ended and was simulated itself: reads that were not known, and known ones that were not read. */
uint64_t clock_misses(const struct block *block);

/* builtin.c: lanes call a function of the device runtime. A fault may have been recorded. */
void builtin_call(struct exec *x, const struct code *code, enum builtin builtin, uint32_t lanes);

/* heap.c */
void heap_init(struct heap *heap);
void heap_clear(struct heap *heap);
/* Gives the heap its place in device memory, once. */
ws_status heap_place(struct diag *diag, struct device *device);
/* 0: no room, or no bytes asked for. */
uint64_t heap_take(struct heap *heap, uint64_t bytes);
/* False: malloc did not return this address, or it was freed before. */
bool heap_give(struct heap *heap, uint64_t address);

/* texture.c: what a lane's operand says: a handle, or the variable that holds it. */
uint64_t texture_handle(const struct exec *x, const struct uop *u, operand_ref from, unsigned lane);
/* The texture of a handle, or NULL and, as words, why there is none. */
const ws_texture *texture_find(const struct device *device, uint64_t handle, const char **why);
/* The handle that has these lower 32 bits, which are all that native code keeps of it. */
uint64_t texture_handle_of(const struct device *device, uint32_t low);
unsigned texture_texel_bytes(const ws_texture *texture);
/* Are its numbers read as floats? */
bool texture_gives_floats(const ws_texture *texture);
/* fetch.c: records a fault of a lane, with `why` in words. */
void texture_fault(struct exec *x, const struct uop *u, unsigned lane, uint64_t handle,
                   const char *why);
/* surface.c: addresses of what suld and sust access, of those lanes that access anything. False: a fault was recorded. */
bool surface_locate(struct exec *x, const struct uop *u, uint64_t addresses[WARP_LANES],
                    uint32_t *lanes);

/* check_memory.c: the tool memory. Tells the checker of the fault at hand and clears it, so that the launch goes on
 * without that lane; false: it ends with the fault. */
bool check_goes_on(struct exec *x);
/* Accesses where there are red zones: false: a fault was recorded. */
bool check_shared_arrays(struct exec *x, const struct uop *u, const struct access *s);
bool check_local_arrays(struct exec *x, const struct uop *u, const struct access *s);
/* When a launch has ended: what the tool does not see. */
void check_notes(const struct launch *launch);
/* check_heap.c: the block that lives at an address in the heap of kernels; false: none does. */
bool check_heap_range(const struct heap *heap, uint64_t address, uint64_t *begin, uint64_t *end);
/* An access to the heap of kernels outside of its blocks that live. */
void check_tell_heap(struct exec *x, const struct uop *u, const struct heap *heap, uint32_t lane,
                     uint64_t address);
/* The same for an access that hardware lets pass; the lane takes part. */
void check_tell_passed(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                       uint64_t address);

/* A fetch beyond linear memory; `detail` in words. */
void check_tell_fetch(struct exec *x, const struct uop *u, uint32_t lane, const char *detail);

/* engine.c: a program's compiled code. */
struct compiling *compiling_create(struct arena *arena, const struct device *device);
void compiling_clear(struct compiling *compiling);
/* May the worker run compiled code in this launch? */
void compiling_begin(struct exec *x, const struct launch *launch);
/* Compiles if the program has run for long enough. At any time. */
void compiling_look(struct exec *x);
/* Gives back what the worker's compiled code had. */
void compiling_leave(struct exec *x);
/* A launch has ended. True if the system refused memory for its code. */
bool compiling_end(const struct program *program, uint64_t instructions);

/* fault.c */
void fault_memory(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                  uint64_t address);
void fault_at(struct exec *x, enum fault_kind kind, const struct insn *insn, uint32_t lanes);
ws_status fault_report(struct diag *diag, const struct launch *launch, const struct fault *fault);
/* An access out of bounds that hardware would let pass (as_hardware): it is noted, and goes on. */
bool fault_tolerated(struct exec *x, const struct uop *u, uint32_t lane, uint64_t address);
/* A lane executes a .sync operation whose member mask leaves it out, which the ISA leaves undefined: the first
 * of a launch is noted. Its words are to be freed. */
void fault_note_outsider(struct exec *x, const struct insn *insn, uint32_t lane, uint32_t members);
char *fault_outsider_text(const struct launch *launch, const struct fault *fault);
ws_fault fault_kind_of(const struct fault *fault);
/* What the checker calls it. */
enum check_code fault_code(const struct fault *fault);
bool fault_is_of_memory(const struct fault *fault);
/* Tells the checker, if there is one, of a fault that ended the launch. */
void fault_check(const struct launch *launch, const struct fault *fault);
/* The words of fault_report, to be freed. */
char *fault_text(const struct launch *launch, const struct fault *fault);

/* warpgroup.c: the warp at hand has executed a wgmma. */
void product_done(struct exec *x);

/* check_order.c: tells the checker what orders accesses; with CHECK_RACE only. */
void order_block_begin(struct exec *x, struct block *block);
void order_block_end(struct exec *x, struct block *block);
/* Lanes `lanes` of the warp run together from here. */
void order_runs(struct exec *x, struct warp *warp, uint32_t lanes);
/* They have met at a .sync operation. */
void order_meets(struct exec *x, const struct warp *warp, const struct insn *insn, uint32_t lanes);
void order_arrive(struct exec *x, const struct block *block, const struct warp *warp,
                  uint32_t lanes, uint32_t id, bool waits);
void order_barrier_done(struct exec *x, const struct block *block, uint32_t id);
void order_fence(struct exec *x, const struct uop *u);
void order_copy_group(struct exec *x, const struct uop *u);
/* All threads of the block have left. */
void order_leaves(struct exec *x, const struct block *block);
void order_cluster_arrive(struct exec *x, uint32_t lanes, const struct insn *insn);
void order_cluster_done(struct exec *x, const struct cluster *cluster);
void order_cluster_pass(struct exec *x, const struct warp *warp, const struct block *block,
                        uint32_t lanes);
/* `lanes` have done their part of the access to mbarrier objects; those of `ends` ended a phase. is_remote: as in
 * sem_memory.h, here and below. */
void order_mbarrier(struct exec *x, const struct uop *u, const struct access *access,
                    bool is_remote, uint32_t lanes, uint32_t ends);
/* Before the data moves. what: READS, WRITES; host: as in sem_memory.h. */
void order_access(struct exec *x, const struct uop *u, const struct access *access, bool is_remote,
                  unsigned what, const unsigned char *host);
/* A lane's copy in bulk; object: at which address in whose memory the object is that counts its bytes, NULL: none.
 * Then its accesses, of `bytes` bytes at an address: of home's shared memory, NULL: of global memory. */
void order_bulk(struct exec *x, const struct uop *u, unsigned lane, const struct block *home,
                uint64_t object);
void order_bulk_access(struct exec *x, const struct uop *u, unsigned lane, unsigned what,
                       const struct block *home, uint64_t address, uint64_t bytes,
                       const unsigned char *host);
void order_bulk_signal(struct exec *x, const struct uop *u, unsigned lane, const struct block *home,
                       uint64_t object, bool ends);
/* Memory was allocated or freed: earlier accesses to it have nothing to do with later ones. */
void order_cleared(const struct device *device, uint64_t address, uint64_t bytes);

/* Without the popcnt instruction (baseline x86-64) the builtin is a library call. */
static inline uint32_t lanes_count(uint32_t mask)
{
    if (mask == 0 || mask == UINT32_MAX) return mask & WARP_LANES; /* popcnt may be a call */
    return (uint32_t)__builtin_popcount(mask);
}

/* Bit i of the mask to lane i: -1 or 0. */
static inline void expand_mask(uint32_t mask, int32_t *lanes)
{
#define FOUR(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i)
    static const uint32_t bits[WARP_LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                              FOUR(16), FOUR(20), FOUR(24), FOUR(28)};
#undef FOUR
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes[i] = (mask & bits[i]) == bits[i] ? -1 : 0;
}

#endif

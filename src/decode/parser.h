// SPDX-License-Identifier: Apache-2.0
/* The inside of the PTX parser, shared by the files of decode/ only.
 *
 *   parse_module.c       directives of the file
 *   parse_variable.c     declarations of variables, at any place
 *   parse_initialiser.c  their values
 *   parse_constant.c     constant expressions
 *   parse_function.c     function headers, parameters, bodies
 *   parse_insn.c         one instruction, by operand form
 *   parse_operand.c      one operand, and the conversion of constants
 *   parse_call.c         calls and their parameters
 *   parse_prototype.c    .callprototype, .calltargets
 *   parse_alias.c        .alias
 *   parse_label.c        labels, branch targets
 *   parse_texture.c      texture fetches
 *   parse_mbarrier.c     operations on mbarrier objects
 *   mnemonic.c           `ld.global.v4.f32` to opcode, types, modifiers */
#ifndef DECODE_PARSER_H
#define DECODE_PARSER_H

#include "decode/lexer.h"
#include "decode/module.h"
#include "decode/names.h"

enum {
    SCOPES_MAX = 64,                /* nested braces in a function */
    NESTING_MAX = 64,               /* nested expressions and initialisers */
    RANGE_MAX = 1 << 24,            /* registers of one .reg %r<N> */
    VECTOR_REGISTERS_MAX = 1 << 20, /* elements of .reg .v4 %v<N>, in the whole text */
    ALLOCA_ALIGNMENT_MAX = 1 << 12,
};

/* Bytes of all initialisers of a file: constant memory and tables are far smaller. */
#define INITIALISERS_MAX (UINT64_C(256) << 20)
#define VARIABLE_BYTES_MAX (UINT64_C(1) << 40)

/* A mnemonic is decoded once; the instructions that carry it start as copies of `insn`. */
struct mnemonic {
    struct insn insn;
    bool unsupported;
    bool has_cache_policy; /* .L2::cache_hint: one more operand, which changes nothing */
};

/* Constants of expressions. */
enum constant_kind { CONSTANT_SIGNED, CONSTANT_UNSIGNED, CONSTANT_FLOAT };
struct constant {
    uint8_t kind;
    uint8_t float_bits; /* 32: made by 0f…; 64: by 0d…; 0: decimal */
    uint64_t integer;
    double real;
};

struct register_range {
    uint32_t name;  /* prefix */
    uint32_t count; /* registers are prefix0 .. prefix(count-1) */
    uint8_t type;
};

/* A use of a label before all labels are known. insn >= 0: that branch; else element `slot` of
 * target list `list`. */
struct label_use {
    uint32_t name, scope;
    int32_t insn;
    uint32_t list, slot;
    struct token token;
};

struct target_list {
    uint32_t count;
    int32_t *targets;
};

/* A parameter in a register or a vector of them, as PTX 1.x passes them. The registers of a vector
 * follow each other. */
struct register_parameter {
    int32_t reg, variable;
    unsigned elements;
};

/* `%r1+4` as a source: the sum is made before the instruction. */
struct register_sum {
    int32_t sum, reg;
    int64_t addend;
};

/* .alias name, meant; resolved at the end of the file. */
struct alias {
    uint32_t function, meant;
    struct token token;
};

/* What follows a .reg or .local that stands outside functions. */
struct module_private {
    struct lexer lexer;
    bool is_local;
};

/* The function that is being read. Its arrays are malloc'ed and kept from one to the next. */
struct body {
    int32_t function;
    struct vreg *vregs;
    uint32_t vreg_count, vreg_capacity;
    struct insn *insns;
    uint32_t insn_count, insn_capacity;
    struct register_range *ranges;
    uint32_t range_count, range_capacity;
    struct label_use *uses;
    uint32_t use_count, use_capacity;
    struct target_list *lists;
    uint32_t list_count, list_capacity;
    uint32_t *label_names; /* for messages */
    uint32_t label_count, label_capacity;
    uint32_t block_begin; /* the instruction behind the last label */
    bool end_is_target;   /* some branch goes past the last instruction */
    /* Up to PTX 1.3 the parameters of a kernel are declared in its body. */
    bool takes_parameters;
    int32_t *parameters;
    uint32_t parameter_count, parameter_capacity;
    struct register_parameter *register_returns;
    uint32_t return_count, return_capacity;
    struct unsupported *unsupported;
    uint32_t unsupported_count, unsupported_capacity;
    struct register_sum *sums; /* of the instruction being read */
    uint32_t sum_count, sum_capacity;
    uint64_t parameter_bytes, local_bytes;
    uint32_t formals_begin, inputs_begin, formals_end; /* variables of the header, results first */
    uint32_t scopes[SCOPES_MAX], marks[SCOPES_MAX],
        depth;                                /* open braces; scope ids, symbol marks */
    uint32_t source_file, source_line, place; /* of the last .loc */
    bool is_not_unrolled; /* the next instruction is the first behind .pragma "nounroll" */
    bool is_foreign; /* the instruction being read uses something that warpsage does not know */
    const char *foreign_what;
};

/* A parameter of the function that is being read, not a result and no variable of its calls. */
static inline bool body_is_input(const struct body *body, uint32_t variable)
{
    return variable >= body->inputs_begin && variable < body->formals_end;
}

struct parser {
    struct diag *diag;
    struct module *module; /* in the making */
    struct arena *arena;   /* of the module */
    struct lexer lexer;
    struct names names;
    struct mnemonic *mnemonics;
    uint32_t mnemonic_count, mnemonic_capacity;
    struct variable *variables;
    uint32_t variable_count, variable_capacity;
    struct function *functions;
    uint32_t function_count, function_capacity;
    const char **files; /* NULL: not named yet; 0: none */
    uint32_t file_count, file_capacity;
    uint32_t parts;            /* .version directives so far: a file may hold several, linked */
    struct map file_numbers;   /* of .file in this part -> index in files */
    struct code_place *places; /* of .loc; 0: none */
    uint32_t place_count, place_capacity;
    struct map place_of; /* of the function: file, line and column -> the latest place */
    struct source_name *source_names; /* parse_source.c */
    uint32_t source_name_count, source_name_capacity;
    struct source_label *source_labels;
    uint32_t source_label_count, source_label_capacity;
    uint32_t special_mark; /* symbols that every part has */
    struct body body;
    struct function *prototypes; /* signatures alone; SYMBOL_PROTOTYPE */
    uint32_t prototype_count, prototype_capacity;
    struct alias *aliases;
    uint32_t alias_count, alias_capacity;
    struct module_private *module_privates; /* of the part */
    uint32_t module_private_count, module_private_capacity;
    uint64_t private_copies; /* what all kernels have repeated of them */
    struct map registers;    /* of the function: range and number -> register */
    struct map labels;       /* of the function: scope and name -> instruction */
    uint32_t *scope_parents;
    uint32_t scope_count, scope_capacity;
    uint32_t vector_registers; /* elements of vectors of registers that were declared */
    uint8_t *init;             /* the initialiser being read */
    uint64_t init_size, init_capacity, initialiser_bytes;
    struct relocation *relocations;
    uint32_t relocation_count, relocation_capacity;
    unsigned nesting;
};

/* ---- tokens (parse_module.c) ----------------------------------------------------------------- */

static inline struct token *current(struct parser *parser)
{
    return &parser->lexer.token;
}
static inline void advance(struct parser *parser)
{
    lexer_next(&parser->lexer);
}
static inline bool at_punct(const struct parser *parser, char punct)
{
    return parser->lexer.token.kind == TOKEN_PUNCT && parser->lexer.token.punct == punct;
}
bool parser_at_directive(const struct parser *parser, const char *text);
bool parser_take(struct parser *parser, char punct);
/* At the end of the file, or a directive that begins a declaration at module scope. */
bool parser_at_declaration(const struct parser *parser);
ws_status parser_expect(struct parser *parser, char punct, const char *where);
ws_status parser_expect_name(struct parser *parser, const char *what, struct token *out);
/* "%r7", "end of file", ... for messages; lives in the arena. */
const char *parser_token_text(struct parser *parser, const struct token *token);
ws_status parser_error(struct parser *parser, ws_status status, const struct token *token,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Error for a name that means nothing here, with the nearest names of the wanted kinds. */
ws_status parser_unknown(struct parser *parser, const struct token *token, const char *what,
                         unsigned symbol_kinds);
#define KINDS(kind) (1u << SYMBOL_##kind)
const char *parser_copy(struct parser *parser, const struct token *token);
/* Up to and with the next `end` outside braces. */
ws_status parser_skip_past(struct parser *parser, char end, const char *where);
ws_status parser_file(struct parser *parser);
/* The index in `files` of what .file names so in this part, now or later; 0: none. */
uint32_t parser_source_file(struct parser *parser, uint64_t number);
ws_status parse_file_directive(struct parser *parser);
ws_status parse_section(struct parser *parser);
void sources_clear(struct parser *parser);
/* At the end: lines of a file that no .file has named get none. */
void parser_settle_sources(struct parser *parser);
/* parse_alias.c: what names an alias means the function that it stands for. */
ws_status parse_alias(struct parser *parser);
ws_status parser_resolve_aliases(struct parser *parser);
void parser_clear(struct parser *parser);

/* ---- the topics ------------------------------------------------------------------------------ */

/* Type of ".u32"; TYPE_NONE if the token is no type. */
enum ptx_type parser_type_of(const char *text, size_t length);

ws_status parse_constant(struct parser *parser, struct constant *out);
/* An integer constant of at most `most`. */
ws_status parse_count(struct parser *parser, const char *what, uint64_t most, uint64_t *out);
uint64_t constant_to_bits(const struct constant *constant, enum ptx_type type);

struct linkage {
    bool is_extern, is_weak, is_visible;
};
static inline bool is_linked(const struct linkage *linkage)
{
    return linkage->is_extern || linkage->is_weak || linkage->is_visible;
}
/* From the state space on, to the `;`, or in a parameter list to the `,` or `)`. */
ws_status parse_variable(struct parser *parser, enum mem_space space,
                         const struct linkage *linkage);
ws_status parse_parameter(struct parser *parser, bool is_kernel, int32_t *out);

/* Dimensions of an array, outermost first; 0 for a first [] of unknown size. A vector counts as
 * the innermost. */
enum { DIMENSIONS_MAX = 16 };
struct shape {
    uint64_t sizes[DIMENSIONS_MAX];
    unsigned count;
};
/* `{ ... }` or a single value, after the `=`. Sets bytes, init and relocations. */
ws_status parse_initialiser(struct parser *parser, const struct shape *shape,
                            struct variable *variable);

/* parse_register.c: what follows .reg, to the `;`. */
ws_status parse_registers(struct parser *parser);
ws_status parse_register_name(struct parser *parser, enum ptx_type type);
ws_status parse_register_type(struct parser *parser, enum ptx_type *out);
ws_status parse_vector_name(struct parser *parser, enum ptx_type type, unsigned elements);
/* .v2 or .v4; 1: neither. */
unsigned parse_vector_length(struct parser *parser);
/* .reg and .local outside functions, and the declaration of what they name in a kernel. */
ws_status parse_module_reg(struct parser *parser);
ws_status parse_module_local(struct parser *parser);
ws_status parse_module_privates(struct parser *parser);

ws_status parse_function(struct parser *parser, bool is_entry, const struct linkage *linkage);
ws_status parse_loc(struct parser *parser);

/* What a conversion or video instruction must still have, what is wrong with it; NULL: nothing. */
const char *conversion_lacks(const struct insn *insn, bool is_old);
const char *conversion_fault(const struct insn *insn);
/* check_texture.c: the same of tex, tld4, suld, sust, sured, txq and suq; has_choice: a channel or bounds were told. */
const char *texture_lacks(const struct insn *insn, bool has_choice);
const char *texture_mnemonic_fault(const struct insn *insn);
const char *video_lacks(const struct insn *insn);
const char *video_fault(const struct insn *insn);
unsigned video_types(const struct insn *insn); /* how many types its name holds */

ws_status mnemonic_find(struct parser *parser, const struct token *token, struct mnemonic **out);
ws_status parse_instruction(struct parser *parser);
struct insn *body_add_insn(struct parser *parser, const struct token *token);
void body_add_unsupported(struct parser *parser, uint32_t line, const char *what);
int32_t body_add_register(struct parser *parser, const char *name, enum ptx_type type);

/* What an operand may be. */
enum accept {
    ACCEPT_REGISTER = 1,
    ACCEPT_IMMEDIATE = 2,
    ACCEPT_SPECIAL = 4,
    ACCEPT_SYMBOL = 8,
    ACCEPT_SINK = 16,  /* _ */
    ACCEPT_WIDER = 32, /* ld, st, cvt: the register may be wider than the type */
    ACCEPT_SOURCE = ACCEPT_REGISTER | ACCEPT_IMMEDIATE | ACCEPT_SPECIAL,
    ACCEPT_DESTINATION = ACCEPT_REGISTER | ACCEPT_SINK,
};
ws_status parse_operand(struct parser *parser, enum ptx_type type, unsigned accept,
                        struct operand *out);
ws_status parse_address(struct parser *parser, struct operand *out);
/* [a, up to what follows it. */
ws_status parse_open_address(struct parser *parser, struct operand *out);
/* What it points to becomes what it is: a register, a variable, a constant, or a sum. */
ws_status address_to_value(struct parser *parser, struct operand *operand);
/* p, !p or a constant. */
/* Register `element` (x, y, z or w) of a vector of registers. */
ws_status parse_element(struct parser *parser, const struct token *vector, char element,
                        enum ptx_type type, unsigned accept, struct operand *out);
ws_status parse_predicate(struct parser *parser, bool may_negate, struct operand *out);
/* The special registers are names that every function knows. */
void parser_declare_specials(struct parser *parser);
/* False if the token names no register. */
bool parser_find_register(struct parser *parser, const struct token *token, int32_t *out);

/* ld.param or st.param between a register, a vector of `elements` registers or a constant and a
 * variable of space PARAM; predicates go as words of 0 or 1. */
void body_add_parameter_move(struct parser *parser, const struct insn *like, bool is_load,
                             const struct operand *operand, unsigned elements, int32_t variable);
/* A variable of space PARAM that the text does not name. */
int32_t body_add_parameter(struct parser *parser, enum ptx_type type, unsigned elements);
/* parse_function.c: parameters or results of a function or prototype. */
ws_status parse_parameters(struct parser *parser, bool is_entry, bool is_return,
                           uint32_t *out_count, int32_t **out);
/* Do the two take and return as many values, each as large? */
ws_status parser_check_signature(struct parser *parser, const struct function *declared,
                                 const struct function *header, const struct token *at);
ws_status body_open_scope(struct parser *parser);
void body_close_scope(struct parser *parser);
uint32_t parser_open_scope(struct parser *parser, uint32_t parent);
ws_status parse_call(struct parser *parser, struct insn *insn);
/* parse_insn.c: {a, _, b}, as many operands as the vector has elements; count 0: two or four, by what
 * is there. */
ws_status parse_vector(struct parser *parser, struct insn *insn, bool is_dst, enum ptx_type type,
                       unsigned accept, unsigned count);
/* [a], of the instruction's space, as the next source. */
ws_status parse_memory_operand(struct parser *parser, struct insn *insn);
ws_status parse_texture(struct parser *parser, struct insn *insn);
ws_status parse_query(struct parser *parser, struct insn *insn);
ws_status parse_surface(struct parser *parser, struct insn *insn);
ws_status parse_mbarrier(struct parser *parser, struct insn *insn);
/* parse_copy.c. False: a form that is not executed here. */
bool mnemonic_copy(struct mnemonic *mnemonic);
ws_status parse_copy(struct parser *parser, struct insn *insn);
/* parse_tensormap.c. False: as above. */
bool mnemonic_tensormap(struct mnemonic *mnemonic, enum ptx_op op);
ws_status parse_tensormap(struct parser *parser, struct insn *insn);
/* parse_bulk.c. False: a form that is not executed here. */
bool mnemonic_bulk(struct parser *parser, struct mnemonic *mnemonic, enum ptx_op op);
ws_status parse_bulk(struct parser *parser, struct insn *insn);
/* parse_matrix.c, parse_fragments.c. *out_known: false: a form that is not executed here. */
ws_status mnemonic_matrix(struct parser *parser, const struct token *token, struct insn *insn,
                          bool *out_known);
ws_status parse_matrix(struct parser *parser, struct insn *insn);
ws_status parse_video(struct parser *parser, struct insn *insn);
ws_status parse_branch(struct parser *parser, struct insn *insn);
ws_status parse_branch_indexed(struct parser *parser, struct insn *insn);
ws_status parse_prototype(struct parser *parser, const struct token *label);
ws_status parse_call_targets(struct parser *parser, const struct token *label);
ws_status parse_label_directive(struct parser *parser, const struct token *label);
ws_status parser_declare_label(struct parser *parser, const struct token *label);
ws_status parser_resolve_labels(struct parser *parser);

/* ---- after parsing --------------------------------------------------------------------------- */

/* Blocks, post-dominators, liveness, critical paths: flow.c, post_dominators.c, liveness.c. */
void flow_build(struct arena *arena, struct function *function);

/* The blocks of a function, and behind them a node for each table of brx, between the blocks that use
 * it and its targets: so the edges are as many as the text has names. */
struct flow_graph {
    uint32_t blocks, nodes;
    uint32_t *forth_first,
        *forth;                  /* successors of n: forth[forth_first[n] .. forth_first[n + 1]) */
    uint32_t *back_first, *back; /* predecessors */
    uint32_t *table_of;          /* by block: the node of its table, 0: none */
    const struct insn **tables;  /* by node, from `blocks` on: a brx that has it */
};
void flow_graph_init(struct flow_graph *graph, const struct function *function);
void flow_graph_clear(struct flow_graph *graph);
void flow_post_dominators(const struct flow_graph *graph, struct function *function);
/* False: blocks times registers that live across them are more than LIVE_BITS_MAX. */
#define LIVE_BITS_MAX (UINT64_C(1) << 30)
bool flow_liveness(struct arena *arena, const struct flow_graph *graph, struct function *function);
/* Independent or ordered, over the call graph: order.c. */
void order_classify(struct module *module);
/* Functions reachable from `entry`, as flags by function. */
void module_reachable(const struct module *module, uint32_t entry, bool *reached);

/* Sources and destinations that are registers, the guard included. */
enum { OPERAND_REGISTERS_MAX = OPERANDS_MAX + 1 };
unsigned insn_register_reads(const struct insn *insn, int32_t *registers);
unsigned insn_register_writes(const struct insn *insn, int32_t *registers);

#endif

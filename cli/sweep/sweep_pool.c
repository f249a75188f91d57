// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/run.h"
#include "cli/sweep/sweep_ranks.h"

#define NO_JOB UINT64_MAX

/* One that computes: a process, or a rank. */
struct worker {
    pid_t process; /* 0: a rank */
    int socket, rank;
    uint64_t job; /* NO_JOB: it has none */
    bool is_second_try, has_ended;
};

struct pool {
    struct cli *cli;
    const struct sweep_plan *plan;
    struct sweep_store *store;
    struct sweep_done *done;
    char *folder; /* for the processes */
    struct worker *workers;
    size_t worker_count;
    uint64_t *jobs;               /* of the plan, long ones first */
    uint64_t job_count, next_job; /* next_job: index in jobs */
    size_t busy;
    uint64_t stored; /* points in the store, of those of the plan */
};

/* ---- bytes through a socket ------------------------------------------------------------------ */

static bool write_all(int to, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t done = send(to, at, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool read_all(int from, void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        ssize_t done = read(from, at, size);
        if (done < 0 && errno == EINTR && !cli_is_interrupted()) continue;
        if (done <= 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

/* ---- the process that computes --------------------------------------------------------------- */

static int serve_socket(struct sweep_runner *runner, int socket)
{
    uint64_t job;
    int exit_code = EXIT_DONE;
    while (exit_code == EXIT_DONE && read_all(socket, &job, sizeof job)) {
        struct sweep_message message = {0};
        exit_code = runner_do(runner, job, &message);
        uint64_t size = message.size;
        if (exit_code == EXIT_DONE &&
            !(write_all(socket, &size, sizeof size) && write_all(socket, message.bytes, size)))
            exit_code = EXIT_USAGE; /* who wanted it is gone */
        message_clear(&message);
    }
    return exit_code;
}

static void be_worker(struct pool *pool, int socket)
{
    struct sweep_runner runner;
    struct cli *cli = pool->cli;
    close(pool->store->lock); /* it is the parent's, and gone with it */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    cli->quiet = true;
    cli_attach(cli);
    int exit_code = runner_begin(cli, pool->plan->command, pool->plan->design, pool->folder,
                                 pool->plan->threads, &runner);
    if (exit_code == EXIT_DONE) exit_code = serve_socket(&runner, socket);
    runner_end(&runner);
    fflush(NULL);
    _exit(exit_code);
}

static int start_worker(struct pool *pool, struct worker *worker)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return cli_error(pool->cli, EXIT_USAGE, "cannot start a process: %s", strerror(errno));
    cli_hide_progress(pool->cli);
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        for (size_t i = 0; i < pool->worker_count; i++)
            if (pool->workers[i].process) close(pool->workers[i].socket);
        close(sockets[0]);
        be_worker(pool, sockets[1]);
    }
    close(sockets[1]);
    if (process < 0) {
        close(sockets[0]);
        return cli_error(pool->cli, EXIT_USAGE, "cannot start a process: %s", strerror(errno));
    }
    *worker = (struct worker){.process = process, .socket = sockets[0], .job = NO_JOB};
    return EXIT_DONE;
}

static void stop_workers(struct pool *pool, bool at_once)
{
    for (size_t i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];
        if (!worker->process || worker->has_ended) continue;
        close(worker->socket);
        if (at_once) kill(worker->process, SIGKILL);
    }
    for (size_t i = 0; i < pool->worker_count; i++)
        if (pool->workers[i].process && !pool->workers[i].has_ended)
            waitpid(pool->workers[i].process, NULL, 0);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static double threads_of(const struct design *design, uint64_t job)
{
    uint64_t count, first = job_first_point(design, job, &count);
    return design->launches[first / design->machine_count].threads;
}

static int by_length(const void *a, const void *b, void *design)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    double p = threads_of(design, x), q = threads_of(design, y);
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

/* A long job that comes last keeps all but one process waiting. */
static void order_jobs(struct pool *pool)
{
    const struct sweep_plan *plan = pool->plan;
    uint64_t jobs = job_count(plan->design);
    pool->jobs = cli_alloc(pool->cli, (size_t)(jobs / plan->shards + 1) * sizeof *pool->jobs);
    for (uint64_t job = plan->shard; job < jobs; job += plan->shards)
        pool->jobs[pool->job_count++] = job;
    qsort_r(pool->jobs, (size_t)pool->job_count, sizeof *pool->jobs, by_length,
            (void *)plan->design);
}

/* The next job that the store lacks; NO_JOB: none. */
static int next_job(struct pool *pool, uint64_t *out)
{
    const struct design *design = pool->plan->design;
    *out = NO_JOB;
    while (*out == NO_JOB && pool->next_job < pool->job_count) {
        uint64_t count, job = pool->jobs[pool->next_job++];
        uint64_t first = job_first_point(design, job, &count);
        bool is_there;
        CLI_TRY(store_has(pool->store, first, &is_there));
        if (!is_there) *out = job;
        pool->stored += is_there ? count : 0;
        pool->done->known += is_there ? count : 0;
    }
    return EXIT_DONE;
}

static int send_job(struct pool *pool, struct worker *worker, uint64_t job)
{
    bool is_sent = worker->process ? write_all(worker->socket, &job, sizeof job)
                                   : pool->plan->ranks->send(worker->rank, &job, sizeof job);
    worker->job = job;
    if (is_sent || worker->process)
        return EXIT_DONE; /* a process that is gone is noticed when read */
    return cli_error(pool->cli, EXIT_USAGE, "MPI: cannot send to rank %d", worker->rank);
}

static int give_job(struct pool *pool, struct worker *worker)
{
    uint64_t job;
    CLI_TRY(next_job(pool, &job));
    worker->is_second_try = false;
    worker->job = NO_JOB;
    if (job == NO_JOB) return EXIT_DONE;
    pool->busy++;
    return send_job(pool, worker, job);
}

static void show_progress(struct pool *pool)
{
    double points = (double)pool->done->points, known = (double)pool->done->known;
    if (points > known)
        cli_show_progress(pool->cli, "points", ((double)pool->stored - known) / (points - known));
}

static int take_results(struct pool *pool, struct worker *worker, struct sweep_message *message)
{
    uint64_t job = NO_JOB, count;
    pool->busy--;
    CLI_TRY(message_store(pool->cli, message, pool->store, &job));
    (void)job_first_point(pool->plan->design, job, &count);
    pool->stored += count;
    show_progress(pool);
    return give_job(pool, worker);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* What a job that ends its process leaves: a line for each of its points. */
static int store_death(struct pool *pool, uint64_t job, const char *why)
{
    const struct design *design = pool->plan->design;
    uint64_t count, first = job_first_point(design, job, &count);
    CLI_TRY(store_begin(pool->store));
    if (first % design->machine_count == 0) {
        struct launch_result launch = {
            .launch = first / design->machine_count, .status = "refused", .message = why};
        CLI_TRY(store_add_launch(pool->store, &launch));
    }
    for (uint64_t i = 0; i < count; i++) {
        struct point_result point = {.point = first + i, .status = "refused", .message = why};
        point.time_s = point.low_s = point.high_s = point.bound_s = NAN;
        point.occupancy = point.watts = point.joules = NAN;
        CLI_TRY(store_add_point(pool->store, &point));
    }
    pool->stored += count;
    return store_commit(pool->store);
}

/* A process is gone: its job is tried once more by another, in case somebody ended it. */
static int replace_worker(struct pool *pool, struct worker *worker)
{
    int status = 0;
    uint64_t job = worker->job;
    bool was_second = worker->is_second_try;
    waitpid(worker->process, &status, 0);
    close(worker->socket);
    worker->has_ended = true;
    if (cli_is_interrupted()) return cli_stop_code();
    if (WIFEXITED(status) && WEXITSTATUS(status)) return WEXITSTATUS(status); /* it said why */
    CLI_TRY(start_worker(pool, worker));
    if (!was_second) {
        worker->is_second_try = true;
        return send_job(pool, worker, job);
    }
    pool->busy--;
    const char *why =
        cli_format(pool->cli, "the process that computed it ended twice, by signal %d",
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    CLI_TRY(store_death(pool, job, why));
    return give_job(pool, worker);
}

static int read_worker(struct pool *pool, struct worker *worker)
{
    struct sweep_message message = {0};
    uint64_t size;
    if (!read_all(worker->socket, &size, sizeof size)) return replace_worker(pool, worker);
    uint8_t *bytes = message_room(&message, size);
    if (!bytes) return cli_out_of_memory(pool->cli, size);
    message.size = size;
    int exit_code = read_all(worker->socket, bytes, size) ? take_results(pool, worker, &message)
                                                          : replace_worker(pool, worker);
    message_clear(&message);
    return exit_code;
}

static int read_workers(struct pool *pool, struct pollfd *ready)
{
    for (size_t i = 0; i < pool->worker_count; i++)
        if (ready[i].revents && pool->workers[i].job != NO_JOB)
            CLI_TRY(read_worker(pool, &pool->workers[i]));
    return EXIT_DONE;
}

static int wait_for_workers(struct pool *pool, struct pollfd *ready, int milliseconds)
{
    for (size_t i = 0; i < pool->worker_count; i++) {
        const struct worker *worker = &pool->workers[i];
        bool is_waited_for = worker->process && worker->job != NO_JOB;
        ready[i] = (struct pollfd){.fd = is_waited_for ? worker->socket : -1, .events = POLLIN};
    }
    int found = poll(ready, pool->worker_count, milliseconds);
    if (cli_is_interrupted()) return cli_stop_code();
    if (found > 0) return read_workers(pool, ready);
    if (found == 0 || errno == EINTR) return EXIT_DONE;
    return cli_error(pool->cli, EXIT_USAGE, "cannot wait for processes: %s", strerror(errno));
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static int read_rank(struct pool *pool, bool *out_is_there)
{
    const struct sweep_ranks *ranks = pool->plan->ranks;
    struct sweep_message message = {0};
    int rank;
    size_t size;
    if (!ranks->probe(out_is_there, &rank, &size))
        return cli_error(pool->cli, EXIT_USAGE, "MPI: cannot look for messages");
    if (!*out_is_there) return EXIT_DONE;
    uint8_t *bytes = message_room(&message, size);
    if (!bytes) return cli_out_of_memory(pool->cli, size);
    message.size = size;
    int exit_code =
        ranks->receive(rank, bytes, size)
            ? EXIT_DONE
            : cli_error(pool->cli, EXIT_USAGE, "MPI: cannot receive from rank %d", rank);
    for (size_t i = 0; i < pool->worker_count && exit_code == EXIT_DONE; i++)
        if (!pool->workers[i].process && pool->workers[i].rank == rank)
            exit_code = take_results(pool, &pool->workers[i], &message);
    message_clear(&message);
    return exit_code;
}

static int wait_for_all(struct pool *pool, struct pollfd *ready)
{
    bool is_there = pool->plan->ranks != NULL;
    while (is_there)
        CLI_TRY(read_rank(pool, &is_there));
    return pool->busy ? wait_for_workers(pool, ready, pool->plan->ranks ? 1 : -1) : EXIT_DONE;
}

static void dismiss_ranks(struct pool *pool)
{
    uint64_t none = NO_JOB;
    for (size_t i = 0; i < pool->worker_count; i++)
        if (!pool->workers[i].process)
            pool->plan->ranks->send(pool->workers[i].rank, &none, sizeof none);
}

static int serve_ranks(struct cli *cli, const struct sweep_plan *plan, const char *folder)
{
    struct sweep_runner runner;
    uint64_t job = NO_JOB;
    int exit_code = runner_begin(cli, plan->command, plan->design, folder, plan->threads, &runner);
    while (exit_code == EXIT_DONE && plan->ranks->receive(0, &job, sizeof job) && job != NO_JOB) {
        struct sweep_message message = {0};
        exit_code = runner_do(&runner, job, &message);
        if (exit_code == EXIT_DONE && !plan->ranks->send(0, message.bytes, message.size))
            exit_code = cli_error(cli, EXIT_USAGE, "MPI: cannot send to rank 0");
        message_clear(&message);
    }
    runner_end(&runner);
    return exit_code;
}

int pool_serve(struct cli *cli, const struct sweep_plan *plan)
{
    char *folder;
    cli->quiet = true;
    cli_attach(cli);
    CLI_TRY(runner_make_folder(cli, &folder));
    int exit_code = serve_ranks(cli, plan, folder);
    run_remove_folder(cli, folder);
    return exit_code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint64_t points_of_plan(const struct sweep_plan *plan)
{
    uint64_t points = 0, jobs = job_count(plan->design), count;
    for (uint64_t job = plan->shard; job < jobs; job += plan->shards) {
        (void)job_first_point(plan->design, job, &count);
        points += count;
    }
    return points;
}

static int start_all(struct pool *pool)
{
    int rank_count = pool->plan->rank_count;
    size_t processes = pool->plan->workers;
    pool->workers =
        cli_alloc(pool->cli, (processes + (size_t)rank_count + 1) * sizeof *pool->workers);
    for (size_t i = 0; i < processes; i++) {
        CLI_TRY(start_worker(pool, &pool->workers[i]));
        pool->worker_count++;
    }
    for (int rank = 1; rank < rank_count; rank++)
        pool->workers[pool->worker_count++] = (struct worker){.rank = rank, .job = NO_JOB};
    return EXIT_DONE;
}

static int work(struct pool *pool)
{
    struct pollfd *ready = cli_alloc(pool->cli, (pool->worker_count + 1) * sizeof *ready);
    for (size_t i = 0; i < pool->worker_count; i++)
        CLI_TRY(give_job(pool, &pool->workers[i]));
    while (pool->busy)
        CLI_TRY(wait_for_all(pool, ready));
    return EXIT_DONE;
}

int pool_run(struct cli *cli, const struct sweep_plan *plan, struct sweep_store *store,
             struct sweep_done *out)
{
    struct pool pool = {.cli = cli, .plan = plan, .store = store, .done = out};
    *out = (struct sweep_done){.points = points_of_plan(plan)};
    order_jobs(&pool);
    CLI_TRY(runner_make_folder(cli, &pool.folder));
    int exit_code = start_all(&pool);
    if (exit_code == EXIT_DONE) exit_code = work(&pool);
    cli_clear_progress(cli);
    if (plan->ranks && exit_code == EXIT_DONE) dismiss_ranks(&pool);
    stop_workers(&pool, exit_code != EXIT_DONE);
    run_remove_folder(cli, pool.folder);
    return exit_code;
}

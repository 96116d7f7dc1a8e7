// stepping_pool.c: threads that wait for work between steps.
// Method    items are handed out by a counter; each writes to places of its own, so the result does
//           not depend on the number of threads or their order. Every thread has a context and a
//           solver of its own: contexts are for one thread at a time.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "stepping.h"

// Less work than this is done sooner than threads wake up.
enum { WORTH = 256 };

struct Pool {
    pthread_t threads[MOST_STEP_THREADS];
    bool started[MOST_STEP_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    long round; // of work; threads wait for the next
    int busy;
    bool closing;
    PoolWork *work;
    void *user;
    int count;
    atomic_int next;
};

typedef struct PoolThread {
    Pool *pool;
    StepWorker *worker;
} PoolThread;

static void work_on(Pool *pool, StepWorker *worker)
{
    for (;;) {
        int item = atomic_fetch_add(&pool->next, 1);
        if (item >= pool->count)
            return;
        SpragStatus status = pool->work(pool->user, item, worker);
        if (worker->status == SPRAG_OK)
            worker->status = status;
    }
}

static void *serve(void *user)
{
    PoolThread *thread = user;
    Pool *pool = thread->pool;
    long seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        if (pool->round == seen) {
            pthread_cond_wait(&pool->begin, &pool->lock);
            continue;
        }
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work_on(pool, thread->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static SpragStatus create_workers(Stepping *s)
{
    s->workers = sprag_alloc(s->run->context, (size_t)s->worker_count, sizeof *s->workers);
    if (!s->workers)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < s->worker_count; i++) {
        StepWorker *worker = &s->workers[i];
        // the first one works in the thread of the run
        if (i == 0)
            worker->context = s->run->context;
        else
            SPRAG_TRY(sprag_context_create(NULL, &worker->context));
        SPRAG_TRY(sprag_friction_workspace_create(worker->context, &worker->solver));
    }
    return SPRAG_OK;
}

static SpragStatus start_threads(Stepping *s)
{
    SpragContext *context = s->run->context;
    Pool *pool = sprag_alloc(context, 1, sizeof *pool);
    PoolThread *shares = sprag_alloc(context, (size_t)s->worker_count, sizeof *shares);
    s->pool = pool;
    s->pool_threads = shares;
    if (!pool || !shares)
        return SPRAG_ERROR_MEMORY;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    for (int i = 1; i < s->worker_count; i++) {
        shares[i] = (PoolThread){pool, &s->workers[i]};
        pool->started[i] = pthread_create(&pool->threads[i], NULL, serve, &shares[i]) == 0;
    }
    return SPRAG_OK;
}

SpragStatus pool_create(Stepping *s, int threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= 0)
        threads = cores > 0 && cores < MOST_STEP_THREADS ? (int)cores : 1;
    s->worker_count = threads < MOST_STEP_THREADS ? threads : MOST_STEP_THREADS;
    return create_workers(s);
}

static void stop_threads(Stepping *s)
{
    Pool *pool = s->pool;
    if (!pool || !s->pool_threads)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < s->worker_count; i++)
        if (pool->started[i])
            pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->lock);
}

void pool_destroy(Stepping *s)
{
    stop_threads(s);
    sprag_free(s->run->context, s->pool_threads);
    sprag_free(s->run->context, s->pool);
    for (int i = 0; s->workers && i < s->worker_count; i++) {
        StepWorker *worker = &s->workers[i];
        if (!worker->context)
            continue;
        sprag_friction_workspace_destroy(worker->solver);
        sprag_free(worker->context, worker->inverse_inertia);
        sprag_free(worker->context, worker->bodies);
        sprag_free(worker->context, worker->q);
        sprag_free(worker->context, worker->friction);
        sprag_free(worker->context, worker->r);
        sprag_free(worker->context, worker->u);
        sprag_free(worker->context, worker->velocity);
        sprag_free(worker->context, worker->repair);
        if (i > 0)
            sprag_context_destroy(worker->context);
    }
    sprag_free(s->run->context, s->workers);
}

static void run_threads(Stepping *s, PoolWork *work, void *user, int count)
{
    Pool *pool = s->pool;
    int busy = 0;
    for (int i = 1; i < s->worker_count; i++)
        busy += pool->started[i];
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->user = user;
    pool->count = count;
    atomic_store(&pool->next, 0);
    pool->busy = busy;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work_on(pool, &s->workers[0]);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

SpragStatus pool_run(Stepping *s, PoolWork *work, void *user, int count, int weight)
{
    if (s->worker_count == 1 || count < 2 || weight < WORTH) {
        for (int i = 0; i < count; i++)
            SPRAG_TRY(work(user, i, &s->workers[0]));
        return SPRAG_OK;
    }
    if (!s->pool)
        SPRAG_TRY(start_threads(s));
    for (int i = 0; i < s->worker_count; i++)
        s->workers[i].status = SPRAG_OK;
    run_threads(s, work, user, count);
    for (int i = 0; i < s->worker_count; i++)
        if (s->workers[i].status != SPRAG_OK)
            return i == 0 ? s->workers[i].status
                          : sprag_fail(s->run->context, s->workers[i].status, "%s",
                                       sprag_context_message(s->workers[i].context));
    return SPRAG_OK;
}

// blas_lock.c: one caller of BLAS and LAPACK at a time.
// Problem   OpenBLAS without threads of its own hands out its buffers without a lock: two threads
//           that call it at once may get the same one, and wrong numbers
// Method    a lock of the process, since the buffers are the process's; what is small does without
//           the libraries, so that nobody waits
#include "blas_lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void blas_lock(void)
{
    pthread_mutex_lock(&lock);
}

void blas_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

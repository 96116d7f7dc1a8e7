// blas_lock.h: one caller of BLAS and LAPACK at a time (private to the room).
#ifndef SPRAG_NUMERIC_BLAS_LOCK_H
#define SPRAG_NUMERIC_BLAS_LOCK_H

void blas_lock(void);
void blas_unlock(void);

#endif

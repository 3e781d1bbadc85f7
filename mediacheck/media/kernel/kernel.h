/*
 * What the files of the kernel share.
 *
 * Samples are float64, full scale 1.0. All memory is the caller's, and nothing is allocated. Built without -ffast-math
 * and without fused multiply-add (-ffp-contract=off), this gives the same bits on every processor and from every
 * compiler. Sums run in LANES fixed lanes, which fit side by side into a register.
 */

#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define LANES 4

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* K-weighting of one or two channels (weighting.c). */
void weighted_energy(const double *x, int64_t channels, int64_t stride, double peak, const int64_t *edges,
                     int64_t steps, int64_t fade, const double *sections, double *carried, double *energy);

#endif

/*
 * What is done to samples outside of the block's one call: stored values to full scale 1.0, and what few blocks need.
 */

#include "kernel.h"

#include <string.h>

#ifndef SOURCE
#define SOURCE ""
#endif

/* The digest of the kernel's files when it was built: a library that is older than its source is not used. */
EXPORT const char *kernel_source(void)
{
    return SOURCE;
}

/* How a value is stored; kernel/samples.py has the same list. */
enum stored { U8, S8, S16, S24, S32, S64, FLT, DBL };

#define SAME(word) (word)

/* A loop of its own where the distance is known when this is compiled: then several values are read at once. Adding
 * zero makes one value of minus zero and zero, and changes no other. */
#define LOOP(WORD, TYPE, ORDER, STEP)                                                                                \
    for (int64_t i = 0; i < count; i++) {                                                                            \
        WORD word;                                                                                                   \
        TYPE value;                                                                                                  \
        memcpy(&word, from + i * (STEP), sizeof word);                                                               \
        word = ORDER(word);                                                                                          \
        memcpy(&value, &word, sizeof value);                                                                         \
        to[i] = ((double)value - zero) * factor + 0.0;                                                               \
    }
#define READER(NAME, WORD, TYPE, ORDER)                                                                              \
    static void NAME(const uint8_t *from, int64_t step, int64_t count, double zero, double factor, double *to)       \
    {                                                                                                                \
        const int64_t size = sizeof(WORD);                                                                           \
        if (step == size)                                                                                            \
            LOOP(WORD, TYPE, ORDER, size)                                                                            \
        else if (step == 2 * size)                                                                                   \
            LOOP(WORD, TYPE, ORDER, 2 * size)                                                                        \
        else                                                                                                         \
            LOOP(WORD, TYPE, ORDER, step)                                                                            \
    }

READER(read_u8, uint8_t, uint8_t, SAME)
READER(read_s8, uint8_t, int8_t, SAME)
READER(read_s16, uint16_t, int16_t, SAME)
READER(read_s32, uint32_t, int32_t, SAME)
READER(read_s64, uint64_t, int64_t, SAME)
READER(read_flt, uint32_t, float, SAME)
READER(read_dbl, uint64_t, double, SAME)
READER(read_s16_swapped, uint16_t, int16_t, __builtin_bswap16)
READER(read_s32_swapped, uint32_t, int32_t, __builtin_bswap32)
READER(read_s64_swapped, uint64_t, int64_t, __builtin_bswap64)
READER(read_flt_swapped, uint32_t, float, __builtin_bswap32)
READER(read_dbl_swapped, uint64_t, double, __builtin_bswap64)

/* Three bytes; the first is the least unless `big`. */
static void read_s24(const uint8_t *from, int64_t step, int64_t count, double zero, double factor, double *to, int big)
{
    const int low = big ? 2 : 0, high = 2 - low;
    for (int64_t i = 0; i < count; i++, from += step) {
        const uint32_t bits = (uint32_t)from[low] << 8 | (uint32_t)from[1] << 16 | (uint32_t)from[high] << 24;
        /* From the top of 32 bits, where its sign is theirs: 256 times the value. */
        to[i] = ((double)(int32_t)bits / 256.0 - zero) * factor + 0.0;
    }
}

static int is_big_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/*
 * Samples of one channel, (value - zero) * factor: exact for up to 53 bits where factor is a power of two.
 *
 * from: the first value, the next ones `step` bytes apart, anywhere in memory. big: whether the first byte is the most.
 */
EXPORT void read_samples(const uint8_t *from, int stored, int big, int64_t step, int64_t count, double zero,
                         double factor, double *to)
{
    const int swap = big != is_big_endian();
    switch (stored) {
    case U8: read_u8(from, step, count, zero, factor, to); break;
    case S8: read_s8(from, step, count, zero, factor, to); break;
    case S16: (swap ? read_s16_swapped : read_s16)(from, step, count, zero, factor, to); break;
    case S24: read_s24(from, step, count, zero, factor, to, big); break;
    case S32: (swap ? read_s32_swapped : read_s32)(from, step, count, zero, factor, to); break;
    case S64: (swap ? read_s64_swapped : read_s64)(from, step, count, zero, factor, to); break;
    case FLT: (swap ? read_flt_swapped : read_flt)(from, step, count, zero, factor, to); break;
    case DBL: (swap ? read_dbl_swapped : read_dbl)(from, step, count, zero, factor, to); break;
    }
}

/* What was found of a block that holds samples that are not finite. */
struct apart {
    int64_t nan, inf; /* samples */
    int64_t spans;
};

/*
 * Set samples apart that are not finite: one NaN stands for all of them, whatever they were.
 *
 * samples, clean: rows `stride` apart; clean gets the samples, and zeros where they are not finite.
 * edges: windows + 1 places. finite: (channels, windows), gets the finite samples of each window.
 * spans: gets the (start, end) of stretches in which any channel holds one; room for (count + 1) / 2 of them.
 */
EXPORT void set_apart(double *samples, double *clean, int64_t channels, int64_t count, int64_t stride,
                      const int64_t *edges, int64_t windows, int64_t *finite, int64_t *spans, struct apart *found)
{
    struct apart counted = {0, 0, 0};
    int inside = 0;
    for (int64_t i = 0; i < count; i++) {
        int any = 0;
        for (int64_t c = 0; c < channels; c++) {
            double *sample = samples + c * stride + i;
            const int nan = *sample != *sample, inf = !nan && isinf(*sample);
            clean[c * stride + i] = nan || inf ? 0.0 : *sample;
            if (nan || inf)
                *sample = NAN;
            counted.nan += nan;
            counted.inf += inf;
            any = any || nan || inf;
        }
        if (any != inside)
            spans[2 * counted.spans + inside] = i;
        counted.spans += inside && !any;
        inside = any;
    }
    if (inside)
        spans[2 * counted.spans++ + 1] = count;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t w = 0; w < windows; w++) {
            int64_t here = 0;
            for (int64_t i = edges[w]; i < edges[w + 1]; i++)
                here += samples[c * stride + i] == samples[c * stride + i];
            finite[c * windows + w] = here;
        }
    *found = counted;
}

/* What is carried of a channel from row to row, and what was counted. */
struct clipping {
    int64_t open;       /* samples at full scale that the last row ended with */
    int64_t full_scale; /* samples from `low` down or from `high` up */
    int64_t clipped;    /* those in runs of at least `least` */
    int64_t runs;
};

/* Count the samples at full scale; n = 0 ends an open run. */
EXPORT void count_clipped(const double *x, int64_t n, double low, double high, int64_t least, struct clipping *c)
{
    int64_t open = c->open;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] >= high || x[i] <= low) {
            c->full_scale++;
            open++;
            continue;
        }
        if (open >= least) {
            c->clipped += open;
            c->runs++;
        }
        open = 0;
    }
    if (!n && open >= least) {
        c->clipped += open;
        c->runs++;
    }
    c->open = n ? open : 0;
}

/* RMS of the finite samples; -1 where there is none. */
EXPORT double rms_of_finite(const double *x, int64_t n)
{
    double sum = 0.0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            sum += x[i] * x[i];
            count++;
        }
    return count ? sqrt(sum / (double)count) : -1.0;
}

/* The greatest value above zero, passing over NaN; 0 where there is none. */
EXPORT double greatest_of(const float *x, int64_t n)
{
    double greatest = 0.0;
    for (int64_t i = 0; i < n; i++)
        greatest = larger(x[i], greatest);
    return greatest;
}

static inline double square(float value)
{
    return value == value ? (double)value * (double)value : 0.0;
}

/*
 * The greatest mean of squares of `width` values in a row (of all where there are fewer), NaN counting as zero.
 *
 * The sum slides along for `width` values and is then made anew, so that rounding does not add up over hours.
 */
EXPORT double loudest_of(const float *x, int64_t n, int64_t width)
{
    if (width > n)
        width = n;
    double loudest = 0.0;
    for (int64_t first = 0; width && first + width <= n; first += width) {
        double sum = 0.0;
        for (int64_t i = first; i < first + width; i++)
            sum += square(x[i]);
        loudest = larger(sum, loudest);
        for (int64_t i = first; i + 1 < first + width && i + width < n; i++) {
            sum += square(x[i + width]) - square(x[i]);
            loudest = larger(sum, loudest);
        }
    }
    return width ? loudest / (double)width : 0.0;
}

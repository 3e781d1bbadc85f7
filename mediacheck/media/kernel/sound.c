/*
 * The loops over single samples of a block: levels, runs, K-weighting, true peak.
 *
 * One call, `measure_block`, does all of one block, for the caller is Python: every return to it means waiting for its
 * lock.
 */

#include "kernel.h"

#include <float.h>
#include <string.h>

/* Two values side by side in a register. */
typedef double pair __attribute__((vector_size(16)));

static double sum_of(const pair *lanes)
{
    return (lanes[0][0] + lanes[0][1]) + (lanes[1][0] + lanes[1][1]);
}

static double largest_of(const double *lanes)
{
    return larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]));
}

/* Samples that are fetched before they are read. */
#define AHEAD 256

/* LANES samples more; sums are pairs, since GCC would take them one by one. */
static inline void add_levels(const double *x, pair *square, pair *sum, double *peak)
{
    for (int half = 0; half < 2; half++) {
        pair v;
        memcpy(&v, x + 2 * half, sizeof v);
        square[half] += v * v;
        sum[half] += v;
    }
    for (int lane = 0; lane < LANES; lane++)
        peak[lane] = larger(fabs(x[lane]), peak[lane]);
}

/*
 * Sum of squares, RMS and greatest magnitude of each window, and the sum, greatest magnitude and sum of squares of the
 * whole.
 *
 * edges: windows + 1 places in x; window w is x[edges[w]] to before x[edges[w + 1]].
 * finite: how many samples of each window count for its RMS; NULL: all. squares, rms, peaks: one value a window, the
 * RMS of none is NaN. summary: the sum, the greatest magnitude, the sum of squares. Magnitudes pass over NaN.
 */
static void levels(const double *x, const int64_t *edges, int64_t windows, const int64_t *finite, double *squares,
                   float *rms, double *peaks, double *summary)
{
    pair sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
    double all = 0.0, greatest = 0.0;
    for (int64_t w = 0; w < windows; w++) {
        pair square[2] = {{0.0, 0.0}, {0.0, 0.0}};
        double peak[LANES] = {0}, rest[LANES] = {0};
        int64_t i = edges[w];
        const int64_t end = edges[w + 1], count = finite ? finite[w] : end - i;
        for (; i + LANES <= end; i += LANES) {
            /* This is the first to read the block, which no longer lies in the nearest memory. */
            __builtin_prefetch(x + i + AHEAD);
            add_levels(x + i, square, sum, peak);
        }
        for (int lane = 0; i + lane < end; lane++)
            rest[lane] = x[i + lane];
        add_levels(rest, square, sum, peak);
        squares[w] = sum_of(square);
        rms[w] = count ? (float)sqrt(squares[w] / (double)count) : NAN;
        peaks[w] = largest_of(peak);
        all += squares[w];
        greatest = larger(peaks[w], greatest);
    }
    summary[0] = sum_of(sum);
    summary[1] = greatest;
    summary[2] = all;
}

/*
 * Runs of equal samples: the first and the last of the block whatever their length, and those of at least `least`
 * samples between them. NaN equals nothing: each is a run of its own.
 *
 * n, least: at least 1. runs: pairs (start, end), room for n / least + 2 of them. Returns how many there are.
 */
static int64_t equal_runs(const double *x, int64_t n, int64_t least, int64_t *runs)
{
    int64_t first = 1, last = n - 1, found = 1;
    while (first < n && x[first] == x[0])
        first++;
    runs[0] = 0;
    runs[1] = first;
    if (first == n)
        return found;
    while (x[last - 1] == x[n - 1])
        last--;
    /* `start` begins a run. If that run is long enough it holds `probe`; if not, the next that can be is the one that
     * does, and its start is found going back from there. So few samples are looked at where runs are short. */
    for (int64_t start = first; start + least <= last;) {
        const int64_t probe = start + least - 1;
        int64_t begin = probe;
        while (begin > start && x[begin - 1] == x[probe])
            begin--;
        if (begin > start) {
            start = begin;
            continue;
        }
        int64_t end = probe + 1;
        while (end < last && x[end] == x[probe])
            end++;
        runs[2 * found] = start;
        runs[2 * found + 1] = end;
        found++;
        start = end;
    }
    runs[2 * found] = last;
    runs[2 * found + 1] = n;
    return found + 1;
}

/* Taps of each phase of the interpolating filter. */
#define TAPS 12
#define BEFORE (TAPS - 1)
/* Samples that are left out together where nothing between them can be the greatest. */
#define SPAN 32

/* Greatest magnitude of n samples. */
static double greatest(const double *x, int64_t n)
{
    double found[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            found[lane] = larger(fabs(x[i + lane]), found[lane]);
    for (; i < n; i++)
        found[0] = larger(fabs(x[i]), found[0]);
    return largest_of(found);
}

/* Greatest magnitude of the second differences of n samples, at least 2: how far they are from straight lines. */
static double bend(const double *x, int64_t n)
{
    double found[LANES] = {0};
    int64_t i = 1;
    for (; i + LANES < n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            found[lane] = larger(fabs((x[i + lane + 1] - x[i + lane]) - (x[i + lane] - x[i + lane - 1])), found[lane]);
    for (; i + 1 < n; i++)
        found[0] = larger(fabs((x[i + 1] - x[i]) - (x[i] - x[i - 1])), found[0]);
    return largest_of(found);
}

/*
 * The greatest magnitude between samples, no less than `peak`, where what comes before each sample stands in memory.
 *
 * bounds: what an interpolated value cannot exceed: bounds[0] times the greatest sample that it hangs on, and bounds[1]
 * times that plus bounds[2] times the greatest second difference.
 */
static double span_peak(const double *x, int64_t n, const double *phases, int64_t count, const double *bounds,
                        double peak)
{
    const double sample = greatest(x - BEFORE, n + BEFORE);
    if (bounds[0] * sample <= peak || bounds[1] * sample + bounds[2] * bend(x - BEFORE, n + BEFORE) <= peak)
        return peak;
    for (int64_t p = 0; p < count; p++, phases += TAPS) {
        double y[SPAN] = {0}, peaks[LANES] = {0};
        for (int tap = 0; tap < TAPS; tap++)
            for (int64_t i = 0; i < n; i++)
                y[i] += phases[tap] * x[i - tap];
        for (int64_t i = 0; i < SPAN; i += LANES)
            for (int lane = 0; lane < LANES; lane++)
                peaks[lane] = larger(fabs(y[i + lane]), peaks[lane]);
        peak = larger(largest_of(peaks), peak);
    }
    return peak;
}

/* The same of the first samples of a row, at most SPAN of n; before: the TAPS - 1 samples before them. */
static double first_peak(const double *before, const double *x, int64_t n, const double *phases, int64_t count,
                         const double *bounds, double peak)
{
    double head[BEFORE + SPAN];
    const int64_t first = n < SPAN ? n : SPAN;
    for (int64_t i = 0; i < BEFORE; i++)
        head[i] = before[i];
    for (int64_t i = 0; i < first; i++)
        head[BEFORE + i] = x[i];
    return span_peak(head + BEFORE, first, phases, count, bounds, peak);
}

/*
 * The same of the others.
 *
 * edges, peaks: windows of the row, and the greatest magnitude in each: few are loud enough to be looked at.
 */
static double later_peak(const double *x, const int64_t *edges, int64_t windows, const double *peaks,
                         const double *phases, int64_t count, const double *bounds, double peak)
{
    for (int64_t w = 0; w < windows; w++) {
        int64_t start = edges[w] > SPAN ? edges[w] : SPAN;
        const int64_t end = edges[w + 1];
        if (start >= end || bounds[0] * larger(peaks[w], greatest(x + start - BEFORE, BEFORE)) <= peak)
            continue;
        for (; start < end; start += SPAN)
            peak = span_peak(x + start, end - start < SPAN ? end - start : SPAN, phases, count, bounds, peak);
    }
    return peak;
}

/* The last TAPS - 1 samples of what came before and a row of n. */
static void remember(double *before, const double *x, int64_t n)
{
    for (int64_t i = 0; i < BEFORE; i++)
        before[i] = i + n < BEFORE ? before[i + n] : x[i + n - BEFORE];
}

/* One block of planar sound, what is carried from block to block, and where the results go. Shapes are C arrays'. */
struct block {
    const double *samples; /* (channels, count), rows `stride` apart: as decoded, NaN where not finite */
    const double *clean;   /* the same with zeros where not finite */
    int64_t channels, count, stride;

    const int64_t *windows; /* (window_count + 1): edges of the windows of the envelope */
    int64_t window_count;
    const int64_t *finite; /* (channels, window_count): finite samples of each; NULL: all are */
    double *squares;   /* (channels, window_count) */
    float *rms;        /* (channels, window_count) */
    double *peaks;     /* (channels, window_count): greatest magnitudes */
    double *summaries; /* (channels, 3): sum, greatest magnitude, sum of squares */

    int64_t least_run;
    int64_t run_room;   /* runs that there is room for, a channel: count / least_run + 2 */
    int64_t *runs;      /* (channels, run_room, 2) */
    int64_t *run_count; /* (channels) */

    const int64_t *steps; /* (step_count + 1): edges of the steps of the loudness */
    int64_t step_count;   /* 0: neither loudness nor true peak is wanted */
    const double *sections; /* (2, 5) */
    int64_t fade;           /* samples after which nothing is left in them */
    double *states;         /* (channels, 4), carried */
    double *energy;         /* (channels, step_count) */

    const double *phases; /* (phase_count, TAPS) */
    int64_t phase_count;  /* 0: samples are close enough by themselves */
    const double *bounds; /* (3) */
    double *before;       /* (channels, TAPS - 1), carried */
    double *true_peak;    /* (1), carried */
};

/*
 * Measure one block.
 *
 * Returns 0 if nothing but levels was done, since a sum is not finite and `sure` is 0: then the caller looks whether
 * samples are not finite, and calls again with `sure`.
 */
EXPORT int measure_block(const struct block *b, int sure)
{
    const int64_t n = b->count, windows = b->window_count;
    for (int64_t c = 0; c < b->channels; c++) {
        levels(b->clean + c * b->stride, b->windows, windows, b->finite ? b->finite + c * windows : 0,
               b->squares + c * windows, b->rms + c * windows, b->peaks + c * windows, b->summaries + 3 * c);
        if (!sure && !(fabs(b->summaries[3 * c]) <= DBL_MAX))
            return 0;
    }
    for (int64_t c = 0; c < b->channels; c++)
        b->run_count[c] = equal_runs(b->samples + c * b->stride, n, b->least_run, b->runs + 2 * c * b->run_room);
    if (!b->step_count)
        return 1;
    for (int64_t c = 0; c < b->channels; c += 2) {
        const int64_t here = c + 1 < b->channels ? 2 : 1;
        double loudest = b->summaries[3 * c + 1];
        if (here == 2)
            loudest = larger(b->summaries[3 * c + 4], loudest);
        weighted_energy(b->clean + c * b->stride, here, b->stride, loudest, b->steps, b->step_count, b->fade, b->sections,
                        b->states + 4 * c, b->energy + c * b->step_count);
    }
    double peak = *b->true_peak;
    for (int64_t c = 0; c < b->channels; c++)
        peak = larger(b->summaries[3 * c + 1], peak);
    for (int64_t c = 0; c < b->channels; c++) {
        const double *row = b->clean + c * b->stride;
        double *before = b->before + c * BEFORE;
        double nearby = b->summaries[3 * c + 1];
        for (int64_t i = 0; i < BEFORE; i++)
            nearby = larger(fabs(before[i]), nearby);
        if (b->phase_count && nearby * b->bounds[0] > peak) {
            peak = first_peak(before, row, n, b->phases, b->phase_count, b->bounds, peak);
            peak = later_peak(row, b->windows, windows, b->peaks + c * windows, b->phases, b->phase_count, b->bounds,
                              peak);
        }
        remember(before, row, n);
    }
    *b->true_peak = peak;
    return 1;
}

/* What the interpolating filter still gives behind the last sample: the samples after it are zeros. */
EXPORT void finish_true_peak(const struct block *b)
{
    const double zeros[BEFORE] = {0};
    for (int64_t c = 0; b->phase_count && c < b->channels; c++)
        *b->true_peak = first_peak(b->before + c * BEFORE, zeros, BEFORE, b->phases, b->phase_count, b->bounds,
                                   *b->true_peak);
}

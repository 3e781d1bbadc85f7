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

/* State that no sound has left: without input it would shrink to denormal numbers, which cost a hundred times more. */
#define FORGOTTEN 1e-100

static inline pair forget(pair state)
{
    for (int channel = 0; channel < 2; channel++)
        if (fabs(state[channel]) < FORGOTTEN)
            state[channel] = 0.0;
    return state;
}

/*
 * Energy of two channels behind two second-order sections, step by step. They go side by side, since the recursion of
 * each leaves a processor waiting.
 *
 * Each section in transposed direct form II, written so that its output is not on the way from one state to the next:
 *     y = b0 x + s1;  s1' = (b1 - a1 b0) x + s2 - a1 s1;  s2' = (b2 - a2 b0) x - a2 s1.
 *
 * edges: steps + 1 places. sections: b0, b1 - a1 b0, b2 - a2 b0, a1, a2 of the first, then of the second.
 * state: s1 and s2 of the first section, then of the second, each for both channels; it is updated.
 * energy: the sum of squares of each step, for both channels.
 */
static void weighted_energy(const double *left, const double *right, const int64_t *edges, int64_t steps,
                            const double *sections, double *state, double *energy)
{
    const double *f = sections, *g = sections + 5;
    pair f1 = {state[0], state[1]}, f2 = {state[2], state[3]}, g1 = {state[4], state[5]}, g2 = {state[6], state[7]};
    for (int64_t step = 0; step < steps; step++) {
        pair sum = {0.0, 0.0};
        for (int64_t i = edges[step]; i < edges[step + 1]; i++) {
            const pair x = {left[i], right[i]};
            const pair y = f[0] * x + f1;
            const pair f1_next = (f[1] * x + f2) - f[3] * f1;
            f2 = f[2] * x - f[4] * f1;
            f1 = f1_next;
            const pair z = g[0] * y + g1;
            const pair g1_next = (g[1] * y + g2) - g[3] * g1;
            g2 = g[2] * y - g[4] * g1;
            g1 = g1_next;
            sum += z * z;
        }
        energy[2 * step] = sum[0];
        energy[2 * step + 1] = sum[1];
        f1 = forget(f1);
        f2 = forget(f2);
        g1 = forget(g1);
        g2 = forget(g2);
    }
    const pair after[4] = {f1, f2, g1, g2};
    for (int k = 0; k < 4; k++) {
        state[2 * k] = after[k][0];
        state[2 * k + 1] = after[k][1];
    }
}

/* Samples beyond this are no sound: what they leave in the filter is never held to be nothing. */
#define ABSURD 1e6

/*
 * The same of one channel, as two parts side by side: energy's and state's places of the second channel are left over.
 *
 * The second part starts without state, and `fade` samples earlier than it counts: after so many, nothing is left in
 * the filter of what was before. Where steps are not all as long, or too few, it is one part.
 *
 * peak: the greatest magnitude in x.
 */
static void weighted_energy_of_one(const double *x, const int64_t *edges, int64_t steps, int64_t fade, double peak,
                                   const double *sections, double *state, double *energy)
{
    const int64_t length = edges[1] > edges[0] ? edges[1] - edges[0] : 1;
    int64_t equal = 0, done = 0;
    while (equal < steps && edges[equal + 1] - edges[equal] == length)
        equal++;
    /* Both parts are `both` steps long; the second starts `late` steps after the first, and counts from `early` on. */
    const int64_t early = (fade + length - 1) / length, both = (equal + early) / 2, late = both - early;
    if (late > early && peak < ABSURD && fabs(state[0]) + fabs(state[2]) + fabs(state[4]) + fabs(state[6]) < ABSURD) {
        double parts[8] = {state[0], 0.0, state[2], 0.0, state[4], 0.0, state[6], 0.0};
        weighted_energy(x, x + edges[late], edges, both, sections, parts, energy);
        for (int64_t step = early; step < both; step++)
            energy[2 * (late + step)] = energy[2 * step + 1];
        for (int k = 0; k < 8; k++)
            state[k] = parts[k | 1];
        done = late + both;
    }
    weighted_energy(x, x, edges + done, steps - done, sections, state, energy + 2 * done);
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
    double *states;         /* (pairs of channels, 4, 2), carried */
    double *energy;         /* (pairs of channels, step_count, 2) */

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
        const double *left = b->clean + c * b->stride;
        double *state = b->states + 4 * c, *energy = b->energy + c * b->step_count;
        if (c + 1 < b->channels)
            weighted_energy(left, left + b->stride, b->steps, b->step_count, b->sections, state, energy);
        else
            weighted_energy_of_one(left, b->steps, b->step_count, b->fade, b->summaries[3 * c + 1], b->sections, state,
                                   energy);
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

/*
 * The loops over single samples of a block: levels, runs, K-weighting, true peak.
 *
 * One call, `measure_block`, does all of one block, for the caller is Python: every return to it means waiting for its
 * lock.
 */

#include "kernel.h"

#include <float.h>

static double sum_of(const double *lanes)
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static double largest_of(const double *lanes)
{
    return larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]));
}

/*
 * Sum of squares and RMS of each window, and the sum, greatest magnitude and sum of squares of the whole.
 *
 * edges: windows + 1 places in x; window w is x[edges[w]] to before x[edges[w + 1]].
 * finite: how many samples of each window count for its RMS; NULL: all. squares, rms: one value a window, the RMS of none
 * is NaN. summary: the sum, the greatest magnitude (which passes over NaN), the sum of squares.
 */
static void levels(const double *x, const int64_t *edges, int64_t windows, const int64_t *finite, double *squares,
                   float *rms, double *summary)
{
    double sum[LANES] = {0}, peak[LANES] = {0}, all = 0.0;
    for (int64_t w = 0; w < windows; w++) {
        double square[LANES] = {0};
        int64_t i = edges[w];
        const int64_t end = edges[w + 1], count = finite ? finite[w] : end - i;
        for (; i + LANES <= end; i += LANES)
            for (int lane = 0; lane < LANES; lane++) {
                const double v = x[i + lane];
                square[lane] += v * v;
                sum[lane] += v;
                peak[lane] = larger(fabs(v), peak[lane]);
            }
        for (int lane = 0; i < end; i++, lane++) {
            square[lane] += x[i] * x[i];
            sum[lane] += x[i];
            peak[lane] = larger(fabs(x[i]), peak[lane]);
        }
        squares[w] = sum_of(square);
        rms[w] = count ? (float)sqrt(squares[w] / (double)count) : NAN;
        all += squares[w];
    }
    summary[0] = sum_of(sum);
    summary[1] = largest_of(peak);
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

/* Two channels side by side: the filter's recursion leaves a processor waiting, and it can do another one meanwhile. */
typedef double pair __attribute__((vector_size(16)));

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
 * Energy of two channels behind two second-order sections, step by step.
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

/* Taps of each phase of the interpolating filter. */
#define TAPS 12
#define BEFORE (TAPS - 1)
/* Samples that are left out together where nothing between them can be the greatest. */
#define SPAN 32

/* Greatest magnitude of n samples, and of the step from one to the next. */
static void extent(const double *x, int64_t n, double *sample, double *step)
{
    double samples[LANES] = {0}, steps[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES < n; i += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            samples[lane] = larger(fabs(x[i + lane]), samples[lane]);
            steps[lane] = larger(fabs(x[i + lane + 1] - x[i + lane]), steps[lane]);
        }
    for (; i + 1 < n; i++) {
        samples[0] = larger(fabs(x[i]), samples[0]);
        steps[0] = larger(fabs(x[i + 1] - x[i]), steps[0]);
    }
    samples[0] = larger(fabs(x[n - 1]), samples[0]);
    *sample = largest_of(samples);
    *step = largest_of(steps);
}

/*
 * The greatest magnitude between samples, no less than `peak`, where what comes before each sample stands in memory.
 *
 * bounds: what an interpolated value cannot exceed: bounds[0] times the greatest sample that it hangs on, and bounds[1]
 * times that plus bounds[2] times the greatest step between two.
 */
static double span_peak(const double *x, int64_t n, const double *phases, int64_t count, const double *bounds,
                        double peak)
{
    double sample, step;
    extent(x - BEFORE, n + BEFORE, &sample, &step);
    if (bounds[0] * sample <= peak || bounds[1] * sample + bounds[2] * step <= peak)
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

/*
 * The greatest magnitude between the samples of a row, no less than `peak`.
 *
 * before: the TAPS - 1 samples before x. n: at least 1. phases: count rows of TAPS. bounds: as above.
 */
static double true_peak(const double *before, const double *x, int64_t n, const double *phases, int64_t count,
                        const double *bounds, double peak)
{
    double head[BEFORE + SPAN];
    const int64_t first = n < SPAN ? n : SPAN;
    for (int64_t i = 0; i < BEFORE; i++)
        head[i] = before[i];
    for (int64_t i = 0; i < first; i++)
        head[BEFORE + i] = x[i];
    peak = span_peak(head + BEFORE, first, phases, count, bounds, peak);
    for (int64_t start = SPAN; start < n; start += SPAN)
        peak = span_peak(x + start, n - start < SPAN ? n - start : SPAN, phases, count, bounds, peak);
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
    double *summaries; /* (channels, 3): sum, greatest magnitude, sum of squares */

    int64_t least_run;
    int64_t run_room;   /* runs that there is room for, a channel: count / least_run + 2 */
    int64_t *runs;      /* (channels, run_room, 2) */
    int64_t *run_count; /* (channels) */

    const int64_t *steps; /* (step_count + 1): edges of the steps of the loudness */
    int64_t step_count;   /* 0: neither loudness nor true peak is wanted */
    const double *sections; /* (2, 5) */
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
               b->squares + c * windows, b->rms + c * windows, b->summaries + 3 * c);
        if (!sure && !(fabs(b->summaries[3 * c]) <= DBL_MAX))
            return 0;
    }
    for (int64_t c = 0; c < b->channels; c++)
        b->run_count[c] = equal_runs(b->samples + c * b->stride, n, b->least_run, b->runs + 2 * c * b->run_room);
    if (!b->step_count)
        return 1;
    for (int64_t c = 0; c < b->channels; c += 2) {
        const double *left = b->clean + c * b->stride;
        /* The last of an odd number of channels is its own partner. */
        const double *right = c + 1 < b->channels ? left + b->stride : left;
        weighted_energy(left, right, b->steps, b->step_count, b->sections, b->states + 4 * c,
                        b->energy + c * b->step_count);
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
        if (b->phase_count && nearby * b->bounds[0] > peak)
            peak = true_peak(before, row, n, b->phases, b->phase_count, b->bounds, peak);
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
        *b->true_peak = true_peak(b->before + c * BEFORE, zeros, BEFORE, b->phases, b->phase_count, b->bounds,
                                  *b->true_peak);
}

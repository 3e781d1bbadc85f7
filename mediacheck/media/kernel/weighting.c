/*
 * K-weighting: the energy of sound behind two second-order sections, step by step.
 *
 * The recursion of one row leaves a processor waiting most of the time, so LANES rows go side by side: parts of one
 * channel, or of two.
 */

#include "kernel.h"

#include <string.h>

/* State that no sound has left: without input it would shrink to denormal numbers, which cost a hundred times more. */
#define FORGOTTEN 1e-100
/* Samples beyond this are no sound: what they leave in the filter is never held to be nothing. */
#define ABSURD 1e6

/* s1 and s2 of the first section, then of the second, each of all rows. */
typedef double states[4][LANES];

/*
 * One step: x[row][start] to before x[row][end]. Gives the sum of squares of each row.
 *
 * Each section in transposed direct form II, written so that its output is not on the way from one state to the next:
 *     y = b0 x + s1;  s1' = (b1 - a1 b0) x + s2 - a1 s1;  s2' = (b2 - a2 b0) x - a2 s1.
 *
 * A VECTOR holds some of the rows, COUNT of them hold all. Whatever holds a row, the same is done to it in the same
 * order: processors differ in time, and in no bit.
 */
#define STEP(NAME, VECTOR, COUNT)                                                                                    \
    static void NAME(const double *const *x, int64_t start, int64_t end, const double *sections, states state,       \
                     double *energy)                                                                                 \
    {                                                                                                                \
        const double *f = sections, *g = sections + 5, *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];               \
        VECTOR f1[COUNT], f2[COUNT], g1[COUNT], g2[COUNT], sum[COUNT] = {{0.0}}, v[COUNT];                           \
        memcpy(f1, state[0], sizeof f1);                                                                             \
        memcpy(f2, state[1], sizeof f2);                                                                             \
        memcpy(g1, state[2], sizeof g1);                                                                             \
        memcpy(g2, state[3], sizeof g2);                                                                             \
        for (int64_t i = start; i < end; i++) {                                                                      \
            const double row[LANES] = {x0[i], x1[i], x2[i], x3[i]};                                                  \
            memcpy(v, row, sizeof v);                                                                                \
            for (int k = 0; k < COUNT; k++) {                                                                        \
                const VECTOR y = f[0] * v[k] + f1[k];                                                                \
                const VECTOR f1_next = (f[1] * v[k] + f2[k]) - f[3] * f1[k];                                         \
                f2[k] = f[2] * v[k] - f[4] * f1[k];                                                                  \
                f1[k] = f1_next;                                                                                     \
                const VECTOR z = g[0] * y + g1[k];                                                                   \
                const VECTOR g1_next = (g[1] * y + g2[k]) - g[3] * g1[k];                                            \
                g2[k] = g[2] * y - g[4] * g1[k];                                                                     \
                g1[k] = g1_next;                                                                                     \
                sum[k] += z * z;                                                                                     \
            }                                                                                                        \
        }                                                                                                            \
        memcpy(state[0], f1, sizeof f1);                                                                             \
        memcpy(state[1], f2, sizeof f2);                                                                             \
        memcpy(state[2], g1, sizeof g1);                                                                             \
        memcpy(state[3], g2, sizeof g2);                                                                             \
        memcpy(energy, sum, sizeof sum);                                                                             \
    }

/* Tests define BY_TWO to hold the one against the other. */
#if defined(__x86_64__) && !defined(BY_TWO)
#define BY_FOUR
#endif

typedef double two __attribute__((vector_size(16)));
STEP(step_by_two, two, 2)
#if defined(BY_FOUR)
typedef double four __attribute__((vector_size(32)));
__attribute__((target("avx2"))) STEP(step_by_four, four, 1)
#endif

/* A stretch of steps of one row. */
struct row {
    const double *x;
    double *energy; /* of each step, the sum of squares */
    int64_t counts; /* the first step whose energy is wanted */
};

/* Weight `steps` steps of all rows; edges: steps + 1 places in each x. */
static void weight(const struct row *rows, const int64_t *edges, int64_t steps, const double *sections, states state)
{
    const double *x[LANES];
    for (int lane = 0; lane < LANES; lane++)
        x[lane] = rows[lane].x;
    for (int64_t step = 0; step < steps; step++) {
        double energy[LANES];
#if defined(BY_FOUR)
        if (__builtin_cpu_supports("avx2"))
            step_by_four(x, edges[step], edges[step + 1], sections, state, energy);
        else
#endif
            step_by_two(x, edges[step], edges[step + 1], sections, state, energy);
        for (int lane = 0; lane < LANES; lane++) {
            if (step >= rows[lane].counts)
                rows[lane].energy[step] = energy[lane];
            for (int k = 0; k < 4; k++)
                if (fabs(state[k][lane]) < FORGOTTEN)
                    state[k][lane] = 0.0;
        }
    }
}

/*
 * Energy of one or two channels, in rows `stride` apart.
 *
 * Of as many steps of the same length as there are at first, each channel is taken in parts side by side. A later part
 * starts without state, and at least `fade` samples earlier than it counts: after so many, nothing is left in the
 * filter of what was before. The other steps go one after the other.
 *
 * peak: the greatest magnitude in x. edges: steps + 1 places, from 0 on. carried: (channels, 4), s1 and s2 of both sections, which
 * are updated. energy: (channels, steps), the sum of squares of each.
 */
void weighted_energy(const double *x, int64_t channels, int64_t stride, double peak, const int64_t *edges,
                     int64_t steps, int64_t fade, const double *sections, double *carried, double *energy)
{
    const int64_t parts = LANES / channels, length = edges[1] > edges[0] ? edges[1] - edges[0] : 1;
    const int64_t early = (fade + length - 1) / length;
    int64_t equal = 0;
    while (equal < steps && edges[equal + 1] - edges[equal] == length)
        equal++;
    /* The steps of each part: together they are all of them, and those that overlap. */
    int64_t each = (equal + (parts - 1) * early + parts - 1) / parts;
    double before = peak;
    for (int64_t k = 0; k < 4 * channels; k++)
        before += fabs(carried[k]);
    if (each >= equal || !(before < ABSURD))
        each = equal = 0;

    struct row rows[LANES];
    states state = {{0.0}};
    for (int64_t lane = 0; lane < LANES; lane++) {
        const int64_t channel = lane % channels, part = lane / channels;
        const int64_t first = part * (equal - each) / (parts - 1);
        const int64_t ended = part ? (part - 1) * (equal - each) / (parts - 1) + each : first;
        rows[lane] = (struct row){x + channel * stride + edges[first], energy + channel * steps + first, ended - first};
        for (int k = 0; part == 0 && k < 4; k++)
            state[k][lane] = carried[4 * channel + k];
    }
    weight(rows, edges, each, sections, state);

    /* The last parts go on alone; what the other lanes do is not looked at. */
    states last = {{0.0}};
    for (int64_t lane = 0; lane < LANES; lane++) {
        const int64_t channel = lane % channels, from = each ? LANES - channels + channel : channel;
        rows[lane] = (struct row){x + channel * stride, energy + channel * steps + equal, lane < channels ? 0 : steps};
        for (int k = 0; k < 4; k++)
            last[k][lane] = state[k][from];
    }
    weight(rows, edges + equal, steps - equal, sections, last);
    for (int64_t channel = 0; channel < channels; channel++)
        for (int k = 0; k < 4; k++)
            carried[4 * channel + k] = last[k][channel];
}

/*
 * The loops over single pixels: black and change of a picture, and its visible rows without what lies between them.
 */

#include "kernel.h"

#include <string.h>

/* Rows and columns of the squares of a picture. */
#define SQUARE 16

/* What was counted of a picture. */
struct picture {
    int64_t black;    /* pixels up to the limit */
    int64_t change;   /* sum of absolute differences to the picture before */
    int64_t greatest; /* the same of the square that changed most */
};

/*
 * One picture's luma, beside the one before it, which is overwritten with it: a function for each width of pixel.
 *
 * now: rows of row_pixels, of which the first width are visible. before: (height, width). limit: the greatest value
 * that is black. Memory is read row by row, as it lies. Sums are kept by column of a band of SQUARE rows, which a SUM
 * holds, and put together to squares at its end; those at the right and lower edge may be smaller.
 */
#define SEGMENT 2048
#define COMPARE_PICTURES(NAME, PIXEL, SUM)                                                                           \
    static void NAME##_row(const PIXEL *restrict now, PIXEL *restrict before, int64_t columns, PIXEL limit,          \
                           SUM *restrict change, PIXEL *restrict black)                                              \
    {                                                                                                                \
        for (int64_t x = 0; x < columns; x++) {                                                                      \
            const PIXEL new = now[x], old = before[x];                                                               \
            change[x] += (PIXEL)((new > old ? new : old) - (new > old ? old : new));                                 \
            black[x] += new <= limit;                                                                                \
            before[x] = new;                                                                                         \
        }                                                                                                            \
    }                                                                                                                \
    EXPORT void NAME(const PIXEL *now, int64_t row_pixels, PIXEL *before, int64_t width, int64_t height,             \
                     int64_t limit, struct picture *found)                                                           \
    {                                                                                                                \
        struct picture counted = {0, 0, 0};                                                                          \
        for (int64_t y = 0; y < height; y += SQUARE)                                                                 \
            for (int64_t x = 0; x < width; x += SEGMENT) {                                                           \
                SUM change[SEGMENT] = {0};                                                                           \
                PIXEL black[SEGMENT] = {0};                                                                          \
                const int64_t columns = width - x < SEGMENT ? width - x : SEGMENT;                                   \
                for (int64_t row = y; row < height && row < y + SQUARE; row++)                                       \
                    NAME##_row(now + row * row_pixels + x, before + row * width + x, columns, (PIXEL)limit,          \
                               change, black);                                                                       \
                for (int first = 0; first < SEGMENT; first += SQUARE) {                                              \
                    int64_t square = 0;                                                                              \
                    for (int column = first; column < first + SQUARE; column++) {                                    \
                        square += change[column];                                                                    \
                        counted.black += black[column];                                                              \
                    }                                                                                                \
                    counted.change += square;                                                                        \
                    counted.greatest = square > counted.greatest ? square : counted.greatest;                        \
                }                                                                                                    \
            }                                                                                                        \
        *found = counted;                                                                                            \
    }

COMPARE_PICTURES(compare_pictures_8, uint8_t, uint16_t)
COMPARE_PICTURES(compare_pictures_16, uint16_t, uint32_t)

/* The first `width` bytes of each of `rows` rows, which begin `step` bytes apart, one row after the other. */
EXPORT void pack_rows(const uint8_t *from, int64_t step, int64_t width, int64_t rows, uint8_t *to)
{
    for (int64_t row = 0; row < rows; row++)
        memcpy(to + row * width, from + row * step, (size_t)width);
}

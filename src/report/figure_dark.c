// figure_dark.c: a figure light on dark: each colour of the palette has a partner of the same role;
// others keep their hue and exchange light and dark.
#include "figure.h"
#include "time_figure.h"

// Light, dark.
static const unsigned partners[][2] = {
    {INK, 0xe9edf0u},         {INK2, 0xb6c0c8u},           {INK3, 0x93a0aau},
    {LINE, 0x2c353cu},        {LINE2, 0x20272du},          {WHITE, 0x151a1eu},
    {UNIQUE_FILL, 0x232c33u}, {UNIQUE_LINE, 0x566b7au},    {UNIQUE_TEXT, 0xa9bccbu},
    {HELD_FILL, 0x16322fu},   {HELD_TEXT, 0x3fc4b0u},      {OPEN_FILL, 0x12171au},
    {SEVERAL, 0xe9b021u},     {SEVERAL_FILL, 0x4a3c16u},   {SEVERAL_TEXT, 0xf2c14au},
    {NONE, 0xf0486au},        {NONE_FILL, 0x4a1f2bu},      {NONE_TEXT, 0xff7d97u},
    {COMPLIANT, 0x9f7fe0u},   {COMPLIANT_FILL, 0x2c2540u}, {COMPLIANT_TEXT, 0xbda4f2u},
    {TINT_NONE, 0x2e1a21u},   {TINT_SEVERAL, 0x2e2a1au},   {TINT_COMPLIANT, 0x231f30u},
    {0x0b62a8u, 0x62b3f3u}, // normal
    {0xb04c06u, 0xf2965cu}, // tangential
};

// The same hue, with 1 − lightness.
static unsigned turned(unsigned colour)
{
    int parts[3] = {(int)(colour >> 16), (int)(colour >> 8 & 255u), (int)(colour & 255u)};
    int least = 255, most = 0;
    for (int i = 0; i < 3; i++) {
        least = parts[i] < least ? parts[i] : least;
        most = parts[i] > most ? parts[i] : most;
    }
    unsigned result = 0;
    for (int i = 0; i < 3; i++)
        result = result << 8 | (unsigned)(parts[i] + 255 - least - most);
    return result;
}

static unsigned dark(unsigned colour)
{
    for (size_t i = 0; i < sizeof partners / sizeof *partners; i++)
        if (partners[i][0] == colour)
            return partners[i][1];
    return turned(colour);
}

void figure_darken(Figure *figure)
{
    for (int i = 0; i < figure->item_count; i++) {
        FigureItem *item = &figure->items[i];
        item->colour = dark(item->colour);
        item->fill.colour = dark(item->fill.colour);
        item->fill.mark = dark(item->fill.mark);
        item->style.colour = dark(item->style.colour);
        item->style.halo_colour = dark(item->style.halo_colour);
    }
    figure->page = dark(figure->page);
}

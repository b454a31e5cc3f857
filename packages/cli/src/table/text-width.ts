import stringWidth from 'string-width';

const asciiPattern = /^[ -~]*$/;
const nothing = { text: '', width: 0 };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Columns that a text takes on a terminal: 2 for wide characters, 0 for combining ones. Wider texts
 * than `widthMax` count as that.
 */
export function textWidth(text: string, widthMax = Number.POSITIVE_INFINITY): number {
  // Rarely does a character take less than a column; eight times as many are looked at, and no text
  // of megabytes to its end.
  const beginning = text.length > widthMax * 8 ? text.slice(0, widthMax * 8) : text;
  return Math.min(
    widthMax,
    asciiPattern.test(beginning) ? beginning.length : stringWidth(beginning),
  );
}

/**
 * The text in exactly `width` columns: padded on the side that `align` leaves free, or cut, with
 * `…` as its last character.
 */
export function fitText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fitted = cutText(text, width);
  const padding = ' '.repeat(width - fitted.width);
  return align === 'right' ? padding + fitted.text : fitted.text + padding;
}

/**
 * As much of the text as fits into `widthMax` columns, with `…` as the last of them when something
 * is missing.
 */
export function cutText(
  text: string,
  widthMax: number,
): { readonly text: string; readonly width: number } {
  const textWidthWhole = textWidth(text, widthMax + 1);
  if (textWidthWhole <= widthMax) return { text, width: textWidthWhole };
  let width = 0;
  // Where to cut if the text turns out to be too wide: one column is left for the ellipsis.
  let cut = { end: 0, width: 0 };
  for (const { segment, index } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > widthMax) {
      return widthMax === 0
        ? nothing
        : { text: `${text.slice(0, cut.end)}…`, width: cut.width + 1 };
    }
    if (width < widthMax) cut = { end: index + segment.length, width };
  }
  return { text, width };
}

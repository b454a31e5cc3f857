import stringWidth from 'string-width';

const asciiPattern = /^[ -~]*$/;
const nothing = { text: '', width: 0 };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the terminal columns of a text: 2 for wide characters, 0 for combining ones. Texts wider
 * than `widthMax` count as that.
 */
export function textWidth(text: string, widthMax = Number.POSITIVE_INFINITY): number {
  // Characters rarely take less than a column. Only eight times as many are measured, so that texts
  // of megabytes are not read completely.
  const beginning = text.length > widthMax * 8 ? text.slice(0, widthMax * 8) : text;
  return Math.min(
    widthMax,
    asciiPattern.test(beginning) ? beginning.length : stringWidth(beginning),
  );
}

/**
 * Fits a text into exactly `width` columns: padded on the side opposite to `align`, or truncated
 * with `…` as its last character.
 */
export function fitText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fitted = cutText(text, width);
  const padding = ' '.repeat(width - fitted.width);
  return align === 'right' ? padding + fitted.text : fitted.text + padding;
}

/**
 * Returns as much of the text as fits into `widthMax` columns, with `…` as the last of them if it
 * is truncated.
 */
export function cutText(
  text: string,
  widthMax: number,
): { readonly text: string; readonly width: number } {
  const textWidthWhole = textWidth(text, widthMax + 1);
  if (textWidthWhole <= widthMax) return { text, width: textWidthWhole };
  let width = 0;
  // The position for truncation if the text is too wide: one column is left for the ellipsis.
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

/** The formats in which rows are served (CONTRACT.md section 2), the default first. */
export const pageFormats = ['json', 'arrow', 'csv', 'ndjson'] as const;

/** A format of rows. */
export type PageFormat = (typeof pageFormats)[number];

/** The media type of each format, as `Accept` names it. */
export const pageMediaTypes: Readonly<Record<PageFormat, string>> = {
  json: 'application/json',
  arrow: 'application/vnd.apache.arrow.stream',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

export function isPageFormat(text: string): text is PageFormat {
  return (pageFormats as readonly string[]).includes(text);
}

/** The codecs that Arrow defines for its buffers. */
export const arrowCodecs = ['zstd', 'lz4'] as const;

/** A codec that Arrow has for buffers. */
export type ArrowCodec = (typeof arrowCodecs)[number];

export function isArrowCodec(text: string): text is ArrowCodec {
  return (arrowCodecs as readonly string[]).includes(text);
}

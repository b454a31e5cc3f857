/** A format in which rows are served (CONTRACT.md section 2). */
export interface PageFormat {
  /** Its name in menus and sentences. */
  readonly title: string;
  /** Its purpose, in a few words. */
  readonly purpose: string;
  /** Its media type, as `Accept` names it. */
  readonly mediaType: string;
  /** The parameters of `Content-Type` after the media type. */
  readonly typeParameters: string;
  /** The extension of its files, without the dot. */
  readonly fileExtension: string;
  /** True if its bytes are UTF-8 text. */
  readonly isText: boolean;
  /**
   * True if a page is a document with the cursor's members beside the rows. Pages of other formats
   * have them in headers, and can be read in byte ranges.
   */
  readonly hasEnvelope: boolean;
  /**
   * True if clients can concatenate pages into one document. A document of other formats is one
   * page.
   */
  readonly isJoinable: boolean;
}

/**
 * All formats of rows, the default first. Code that depends on the format is here, or in a
 * `Record<PageFormatName, …>`, which does not compile while a format is missing.
 */
export const pageFormats = {
  json: {
    title: 'JSON',
    purpose: 'one document',
    mediaType: 'application/json',
    typeParameters: '; charset=utf-8',
    fileExtension: 'json',
    isText: true,
    hasEnvelope: true,
    isJoinable: false,
  },
  arrow: {
    title: 'Arrow',
    purpose: 'stream, all types',
    mediaType: 'application/vnd.apache.arrow.stream',
    typeParameters: '',
    fileExtension: 'arrows',
    isText: false,
    hasEnvelope: false,
    isJoinable: true,
  },
  csv: {
    title: 'CSV',
    purpose: 'for spreadsheets',
    mediaType: 'text/csv',
    typeParameters: '; charset=utf-8; header=present',
    fileExtension: 'csv',
    isText: true,
    hasEnvelope: false,
    isJoinable: true,
  },
  ndjson: {
    title: 'NDJSON',
    purpose: 'one JSON object per line',
    mediaType: 'application/x-ndjson',
    typeParameters: '; charset=utf-8',
    fileExtension: 'ndjson',
    isText: true,
    hasEnvelope: false,
    isJoinable: true,
  },
  parquet: {
    title: 'Parquet',
    purpose: 'compressed file, all types',
    mediaType: 'application/vnd.apache.parquet',
    typeParameters: '',
    fileExtension: 'parquet',
    isText: false,
    hasEnvelope: false,
    isJoinable: false,
  },
} as const satisfies Readonly<Record<string, PageFormat>>;

/** The name of a format of rows, as in the parameter `format`. */
export type PageFormatName = keyof typeof pageFormats;

/** The names of all formats, the default first. */
export const pageFormatNames = Object.keys(pageFormats) as readonly PageFormatName[];

/** The names of the formats with a property, such as `FormatsWith<'isText'>`. */
export type FormatsWith<Property extends 'isText' | 'isJoinable'> = {
  [Name in PageFormatName]: (typeof pageFormats)[Name][Property] extends true ? Name : never;
}[PageFormatName];

/** Reports whether a text names a format of rows. */
export function isPageFormatName(text: string): text is PageFormatName {
  return Object.hasOwn(pageFormats, text);
}

/** Reports whether the pages of a format are text. */
export function isTextFormat(format: PageFormatName): format is FormatsWith<'isText'> {
  return pageFormats[format].isText;
}

/** Reports whether the pages of a format can be concatenated into one document. */
export function isJoinableFormat(format: PageFormatName): format is FormatsWith<'isJoinable'> {
  return pageFormats[format].isJoinable;
}

/** The codecs that Arrow defines for its buffers. */
export const arrowCodecs = ['zstd', 'lz4'] as const;

/** A codec of Arrow's buffers. */
export type ArrowCodec = (typeof arrowCodecs)[number];

/** Reports whether a text names a codec of Arrow's buffers. */
export function isArrowCodec(text: string): text is ArrowCodec {
  return (arrowCodecs as readonly string[]).includes(text);
}

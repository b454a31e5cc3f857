import type { IncomingHttpHeaders } from 'node:http';
import {
  type ArrowCodec,
  arrowCodecs,
  type PageFormatName,
  pageFormatNames,
  pageFormats,
  parseArrowCodecs,
  parseFormat,
  parseFormulas,
  type RawParameter,
} from '@quire/api';
import { QuireError } from '@quire/core';
import Negotiator from 'negotiator';

/** The format of rows and its options. */
export interface RowsForm {
  readonly format: PageFormatName;
  /** The codecs that the caller supports for Arrow's buffers, in the order of `arrowCodecs`. */
  readonly codecs: readonly ArrowCodec[];
  /** True if CSV texts that a spreadsheet would interpret as formulas are escaped; absent: no. */
  readonly escapesFormulas?: boolean;
}

/**
 * Returns the form that a caller requests with the parameters `format` and `compression`, or
 * otherwise with `Accept`; default: JSON, and Arrow with plain buffers.
 *
 * @throws INVALID_PARAMETER when a parameter is not a format or codec, or `compression` is used
 *   without Arrow, or `formulas` without CSV
 * @throws NOT_ACCEPTABLE when Accept allows no format
 */
export function chooseForm(
  parameters: {
    readonly format?: RawParameter;
    readonly compression?: RawParameter;
    readonly formulas?: RawParameter;
  },
  headers: IncomingHttpHeaders,
): RowsForm {
  const askedFormat = parseFormat(parameters.format);
  const askedCodecs = parseArrowCodecs(parameters.compression);
  const accept = readAccept(headers.accept);
  const format = askedFormat ?? acceptedFormat(accept.ranges);
  if (format !== 'arrow' && askedCodecs !== undefined && askedCodecs.length > 0) {
    const message = `compression is ${askedCodecs.join()} with the format ${format}; use it with format=arrow, or use Accept-Encoding instead.`;
    throw new QuireError('INVALID_PARAMETER', message);
  }
  const codecs = format === 'arrow' ? (askedCodecs ?? accept.codecs) : [];
  const escapesFormulas = parseFormulas(parameters.formulas, format);
  return {
    format,
    codecs: arrowCodecs.filter((codec) => codecs.includes(codec)),
    ...(escapesFormulas && { escapesFormulas }),
  };
}

/** Returns the form for an entity tag. */
export function formTagOf({ format, codecs, escapesFormulas }: RowsForm): string {
  if (format !== 'arrow') return escapesFormulas === true ? `${format}-escaped` : format;
  return `arrow-${codecs.length === 0 ? 'plain' : codecs.join('+')}`;
}

function acceptedFormat(ranges: string | undefined): PageFormatName {
  if (ranges === undefined) return 'json';
  const mediaTypes = Object.values(pageFormats).map(({ mediaType }) => mediaType);
  const chosen = new Negotiator({ headers: { accept: ranges } }).mediaType(mediaTypes);
  const format = pageFormatNames.find((name) => pageFormats[name].mediaType === chosen);
  if (format !== undefined) return format;
  throw new QuireError(
    'NOT_ACCEPTABLE',
    `Accept allows none of the formats for rows; expected ${mediaTypes.join(', ')}. Arrow may have compression=zstd or compression=lz4.`,
  );
}

/**
 * Parses Accept: returns the media ranges, without the parameters that no format of rows has, and
 * the codecs for Arrow.
 */
function readAccept(accept: string | undefined): {
  readonly ranges: string | undefined;
  readonly codecs: readonly ArrowCodec[];
} {
  if (accept === undefined) return { ranges: undefined, codecs: [] };
  const codecs: ArrowCodec[] = [];
  const ranges: string[] = [];
  // All text is UTF-8; a charset would otherwise match nothing.
  for (const range of accept.replaceAll(/;\s*charset=[^;,]*/gi, '').match(/(?:[^,"]|"[^"]*"?)+/g) ??
    []) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const named = parameters.map(codecsOfParameter).find((found) => found !== undefined);
    const isArrow = type.toLowerCase() === pageFormats.arrow.mediaType;
    if (!isArrow || named === undefined) ranges.push(range);
    else if (!parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/i.test(parameter))) {
      codecs.push(...named);
      ranges.push(
        [
          type,
          ...parameters.filter((parameter) => codecsOfParameter(parameter) === undefined),
        ].join(';'),
      );
    }
  }
  return { ranges: ranges.join(), codecs };
}

/**
 * Returns the codecs of `compression=zstd` or `compression="zstd,lz4"`; undefined for other
 * parameters, and for codecs that Arrow does not have.
 */
function codecsOfParameter(parameter: string): readonly ArrowCodec[] | undefined {
  const [, value] = /^compression\s*=\s*"?([a-z0-9, ]+)"?$/i.exec(parameter) ?? [];
  const names = value
    ?.toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const codecs = arrowCodecs.filter((codec) => names?.includes(codec));
  return names !== undefined && codecs.length === names.length ? codecs : undefined;
}

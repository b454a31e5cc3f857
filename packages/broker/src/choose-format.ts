import type { IncomingHttpHeaders } from 'node:http';
import { type PageFormat, pageFormats, pageMediaTypes, parseFormat, type RawParameter } from '@quire/api';
import { QuireError } from '@quire/core';
import Negotiator from 'negotiator';

/**
 * The format that a caller wants: by the parameter `format`, else by `Accept`, else JSON.
 *
 * @throws INVALID_PARAMETER when the parameter names no format
 * @throws NOT_ACCEPTABLE when Accept leaves none
 */
export function chooseFormat(parameter: RawParameter, headers: IncomingHttpHeaders): PageFormat {
  const asked = parseFormat(parameter);
  if (asked !== undefined) return asked;
  if (headers.accept === undefined) return 'json';
  // All our text is UTF-8; a charset in Accept would otherwise match nothing.
  const accept = headers.accept.replaceAll(/;\s*charset=[^;,]*/gi, '');
  const mediaTypes = pageFormats.map((format) => pageMediaTypes[format]);
  const chosen = new Negotiator({ headers: { accept } }).mediaType(mediaTypes);
  const format = pageFormats.find((candidate) => pageMediaTypes[candidate] === chosen);
  if (format !== undefined) return format;
  throw new QuireError('NOT_ACCEPTABLE', `Accept allows none of the formats of rows; expected ${mediaTypes.join(', ')}.`);
}

import { QuireError } from '@quire/core';

/** The content of an Authorization header. */
export interface Credentials {
  /** True if the scheme is Bearer. */
  readonly isBearer: boolean;
  /** The text after the scheme, unchanged: a token by itself. */
  readonly token: string;
  /** The name and secret, if it is `Basic` with the base64 of `name:secret` (RFC 7617). */
  readonly login: { readonly name: string; readonly secret: string } | undefined;
}

/** The maximum length; longer headers are refused unread, because valid ones are much shorter. */
const headerLengthMax = 8192;
const headerPattern = /^(Basic|Bearer) +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Parses an Authorization header of the form `Basic <token>` or `Bearer <token>`, with the scheme
 * in any case.
 *
 * @throws UNAUTHENTICATED when it is missing or malformed; the message never repeats it
 */
export function parseCredentials(header: string | undefined): Credentials {
  if (header === undefined || header === '') {
    throw new QuireError(
      'UNAUTHENTICATED',
      "Authorization is missing: expected 'Basic <token>' or 'Bearer <token>'.",
    );
  }
  const match = header.length > headerLengthMax ? null : headerPattern.exec(header);
  if (match === null) {
    throw new QuireError(
      'UNAUTHENTICATED',
      "Authorization is malformed: expected 'Basic <token>' or 'Bearer <token>'.",
    );
  }
  const [, scheme = '', token = ''] = match;
  const isBearer = scheme.toLowerCase() === 'bearer';
  return { isBearer, token, login: isBearer ? undefined : decodeLogin(token) };
}

/**
 * Decodes a login. The first colon ends the name, because names have none; text that is not UTF-8
 * is not a login.
 */
function decodeLogin(token: string): Credentials['login'] {
  const bytes = Buffer.from(token, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0 || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  return { name: text.slice(0, colon), secret: text.slice(colon + 1).normalize('NFC') };
}

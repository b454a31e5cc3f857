import { QuireError } from '@quire/core';

/** What an Authorization header presents. */
export interface Credentials {
  /** Whether the scheme is Bearer. */
  readonly isBearer: boolean;
  /** What follows the scheme, as it stands: a token by itself. */
  readonly token: string;
  /** What it holds besides when it is `Basic` with the base64 of `name:secret` (RFC 7617). */
  readonly login: { readonly name: string; readonly secret: string } | undefined;
}

/** Longer headers are refused unread: no valid one comes near it. */
const headerLengthMax = 8192;
const headerPattern = /^(Basic|Bearer) +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Reads an Authorization header of the form `Basic <token>` or `Bearer <token>`; the scheme in any
 * case.
 *
 * @throws UNAUTHENTICATED when there is none or it has another form; the message never repeats it
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

/** The first colon ends the name, as names have none; text that is not UTF-8 is nobody's login. */
function decodeLogin(token: string): Credentials['login'] {
  const bytes = Buffer.from(token, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0 || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  return { name: text.slice(0, colon), secret: text.slice(colon + 1).normalize('NFC') };
}

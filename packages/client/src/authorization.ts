import { QuireError } from '@quire/core/portable';
import { QuireClientError } from './client-error.ts';

/** The caller's credentials: one of the three, or none. */
export interface Credentials {
  /** The bearer token. */
  readonly token?: string | undefined;
  /** The name and password for Basic. */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /**
   * The whole Authorization header. A function is called before every request, including retries,
   * and may return different values, because tokens expire.
   */
  readonly authorization?: string | (() => string | Promise<string>) | undefined;
}

/** Returns the Authorization header of the next request; undefined if there is none. */
export type AuthorizationSource = () => Promise<string | undefined>;

/**
 * Returns the source of the header for credentials.
 *
 * @throws INVALID_PARAMETER when there is more than one of them, or a header cannot contain them
 */
export function authorizationOf(credentials: Credentials): AuthorizationSource {
  const { token, basic, authorization } = credentials;
  if ([token, basic, authorization].filter((each) => each !== undefined).length > 1) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'token, basic and authorization exclude each other: give one of them.',
    );
  }
  if (typeof authorization === 'function') return () => askFor(authorization);
  const header =
    token !== undefined
      ? `Bearer ${token}`
      : basic !== undefined
        ? encodeBasic(basic)
        : authorization;
  if (header !== undefined) assertHeader(header);
  return () => Promise.resolve(header);
}

async function askFor(authorization: () => string | Promise<string>): Promise<string> {
  let header: string;
  try {
    header = await authorization();
  } catch (cause) {
    throw new QuireClientError(
      'UNAUTHENTICATED',
      'The function that returns the Authorization failed.',
      { cause },
    );
  }
  assertHeader(header);
  return header;
}

function encodeBasic({
  user,
  password,
}: {
  readonly user: string;
  readonly password: string;
}): string {
  if (user.includes(':')) {
    throw new QuireError('INVALID_PARAMETER', 'A Basic user name cannot contain a colon.');
  }
  // btoa only accepts bytes; RFC 7617 allows UTF-8.
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/** Checks a header, because fetch would repeat it in its message. */
function assertHeader(header: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(header)) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    'The Authorization contains characters that a header cannot have, such as a line break.',
  );
}

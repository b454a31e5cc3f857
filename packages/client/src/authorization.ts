import { QuireError } from '@quire/core/portable';
import { QuireClientError } from './client-error.ts';

/** Says who calls: one of the three, or nothing. */
export interface Credentials {
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Name and password, sent as Basic. */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /**
   * The whole Authorization header. A function is asked before every request, retries included: it
   * may give another one each time, as tokens expire.
   */
  readonly authorization?: string | (() => string | Promise<string>) | undefined;
}

/** Gives the Authorization header of the next request; undefined when there is none. */
export type AuthorizationSource = () => Promise<string | undefined>;

/** @throws INVALID_PARAMETER when there is more than one of them, or no header can hold it */
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
      'The function that gives the Authorization failed.',
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
    throw new QuireError('INVALID_PARAMETER', 'The user name of Basic has a colon, which ends it.');
  }
  // btoa takes bytes only; RFC 7617 lets UTF-8 be them.
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/** Checked here, because fetch would repeat it in its message. */
function assertHeader(header: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(header)) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    'The Authorization has characters that no header can have, such as a line break.',
  );
}

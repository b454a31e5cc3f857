import { type Clock, isQuireError, QuireError } from '@quire/core';
import { withDeadline } from '@quire/core/wait';

/** The location of a text that a setting references: a file of this machine, or a URL. */
export type TextLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/**
 * The functions for reading a text, passed as arguments, so that nothing here accesses the machine
 * directly.
 */
export interface TextDependencies {
  readonly clock: Clock;
  readonly readFile: (path: string) => Promise<string>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A text to read from a setting's location, such as a file or a variable. */
export interface TextRequest {
  /**
   * The setting of the location: messages name it instead of the location, which may contain
   * credentials.
   */
  readonly setting: string;
  readonly location: TextLocation;
  readonly bytesMax: number;
}

/** The timeout for reading the whole text from a web server. */
const timeoutMs = 10_000;

/**
 * Reads a text.
 *
 * @throws INVALID_SETTING when it cannot be read from there: the file is missing, the server
 *   refuses, the text is too long
 * @throws SERVER_UNREACHABLE when the server cannot be reached, fails or takes too long
 */
export async function readText(
  request: TextRequest,
  dependencies: TextDependencies,
): Promise<string> {
  const { setting, location, bytesMax } = request;
  const text =
    location.kind === 'file'
      ? await readFileText(setting, location.path, dependencies)
      : await fetchText(request, location.url, dependencies);
  if (Buffer.byteLength(text) <= bytesMax) return text;
  throw tooLong(request);
}

async function readFileText(
  setting: string,
  path: string,
  { readFile }: TextDependencies,
): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    // Not attached as the cause: a file system error repeats the path.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new QuireError('INVALID_SETTING', `${setting}: the file cannot be read (${code}).`);
  }
}

async function fetchText(
  request: TextRequest,
  url: string,
  dependencies: TextDependencies,
): Promise<string> {
  const { setting } = request;
  const { clock, fetch = globalThis.fetch } = dependencies;
  const error = (): QuireError =>
    new QuireError(
      'SERVER_UNREACHABLE',
      `${setting}: the server sent no text within ${timeoutMs / 1000} s.`,
    );
  return await withDeadline({ clock, timeoutMs, error }, async (signal) => {
    try {
      const { target, headers } = withoutUserInfo(url);
      const response = await fetch(target, { headers, redirect: 'error', signal });
      if (response.ok) return await readBody(request, response);
      await response.body?.cancel();
      const code = response.status >= 500 ? 'SERVER_UNREACHABLE' : 'INVALID_SETTING';
      throw new QuireError(code, `${setting}: the server answered with status ${response.status}.`);
    } catch (error) {
      if (isQuireError(error)) throw error;
      // Not attached as the cause: it may repeat the URL.
      throw new QuireError(
        'SERVER_UNREACHABLE',
        `${setting}: the server cannot be reached (${reasonOf(error)}).`,
      );
    }
  });
}

async function readBody(request: TextRequest, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The types of the platform say any, the standard says bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > request.bytesMax) throw tooLong(request);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Moves a name and a password from a URL into the header, because fetch rejects such URLs. */
function withoutUserInfo(url: string): {
  readonly target: URL;
  readonly headers: Record<string, string>;
} {
  const target = new URL(url);
  const { username, password } = target;
  if (username === '' && password === '') return { target, headers: {} };
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  [target.username, target.password] = ['', ''];
  return { target, headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } };
}

function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection';
}

function tooLong({ setting, bytesMax }: TextRequest): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `${setting}: the text is longer than ${bytesMax} bytes.`,
  );
}

import { QuireError } from '@quire/core';
import type { AuthorizationProvider } from './authorization-provider.ts';
import { readText, type TextDependencies, type TextLocation } from './text-location.ts';

/** The location of a token for outgoing calls, and its scheme. */
export interface UrlTokenOptions extends TextDependencies {
  /** The setting that names the location, for messages. */
  readonly setting: string;
  readonly location: TextLocation;
  /** The scheme for a token that does not have one. */
  readonly scheme: string;
}

/**
 * The time for which a token is reused: concurrent calls share one read, and a changed token is in
 * use after this time.
 */
const reuseMs = 10_000;
const bytesMax = 16_384;

/**
 * Reads a token from a file or a web server, and follows its rotation: it is read again after ten
 * seconds, and when a server has refused it. A token that cannot be read is an error; an old one is
 * never sent instead.
 */
export class UrlTokenProvider implements AuthorizationProvider {
  readonly #options: UrlTokenOptions;
  #latest: { readonly value: Promise<string>; readonly startMs: number } | undefined;

  constructor(options: UrlTokenOptions) {
    this.#options = options;
  }

  /**
   * Returns the token with its scheme.
   *
   * @throws INVALID_SETTING when the location has no token
   * @throws SERVER_UNREACHABLE when its server cannot be reached
   */
  async authorization({
    refused,
  }: { readonly refused?: string | undefined } = {}): Promise<string> {
    const latest = this.#latest;
    if (latest !== undefined && this.#options.clock.monotonicMs() - latest.startMs < reuseMs) {
      const value = await latest.value;
      if (value !== refused) return value;
      // Several calls may have been refused with the same value: the first of them reads, the
      // others wait for it.
      if (this.#latest !== latest) return this.authorization();
    }
    return this.#read();
  }

  #read(): Promise<string> {
    const latest = { value: this.#readOnce(), startMs: this.#options.clock.monotonicMs() };
    this.#latest = latest;
    // The next call retries a failed read.
    latest.value.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest.value;
  }

  async #readOnce(): Promise<string> {
    const { setting, location, scheme } = this.#options;
    return parseAuthorization(await readText({ setting, location, bytesMax }, this.#options), {
      setting,
      scheme,
    });
  }
}

/**
 * Creates a provider with a fixed token.
 *
 * @throws INVALID_SETTING when the text is not a token
 */
export function createStaticTokenProvider(
  text: string,
  options: { readonly setting: string; readonly scheme: string },
): AuthorizationProvider {
  const value = parseAuthorization(text, options);
  return { authorization: async () => value };
}

/**
 * Returns the Authorization for a text: surrounding white space is ignored, and `scheme` is added
 * to a token that has none.
 *
 * @throws INVALID_SETTING when it is empty or not a token; the message names the setting and
 *   contains none of the text
 */
function parseAuthorization(
  text: string,
  { setting, scheme }: { readonly setting: string; readonly scheme: string },
): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new QuireError('INVALID_SETTING', `${setting}: the token is empty.`);
  const withScheme = /^(?:Basic|Bearer)[ \t]+(\S+)$/i.exec(trimmed);
  const token = withScheme?.[1] ?? trimmed;
  if (!/^[\x21-\x7e]{1,8000}$/.test(token)) {
    throw new QuireError(
      'INVALID_SETTING',
      `${setting}: expected a token, alone or after Basic or Bearer: printable characters without spaces, 8000 at most.`,
    );
  }
  return `${withScheme === null ? scheme : trimmed.slice(0, trimmed.search(/[ \t]/))} ${token}`;
}

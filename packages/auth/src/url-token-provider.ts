import { QuireError } from '@quire/core';
import type { AuthorizationProvider } from './authorization-provider.ts';
import { readText, type TextDependencies, type TextLocation } from './text-location.ts';

/** Where a token for outgoing calls is read, and how long it is kept. */
export interface UrlTokenOptions extends TextDependencies {
  /** The setting that names the location, for messages. */
  readonly setting: string;
  readonly location: TextLocation;
  /** What goes before a token that has no scheme of its own. */
  readonly scheme: string;
}

/**
 * Calls that are made together share one reading; a token that was changed is in use this much
 * later at the latest.
 */
const reuseMs = 10_000;
const bytesMax = 16_384;

/**
 * Reads a token from a file or a web server, and follows its rotation: it is read again when it was
 * read more than ten seconds ago, and when a server has refused it. A token that cannot be read is
 * an error; an old one is never sent in its place.
 */
export class UrlTokenProvider implements AuthorizationProvider {
  readonly #options: UrlTokenOptions;
  #latest: { readonly value: Promise<string>; readonly startMs: number } | undefined;

  constructor(options: UrlTokenOptions) {
    this.#options = options;
  }

  /**
   * @throws INVALID_SETTING when there is no token there
   * @throws SERVER_UNREACHABLE when the server that should give it does not
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
    // What failed is tried again by the next call.
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
 * Gives one token, for ever.
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
 * The Authorization that a text stands for: white space around it does not count, and `scheme` goes
 * before a token that has none.
 *
 * @throws INVALID_SETTING when it is empty or no token; the message names the setting and nothing
 * of the text
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

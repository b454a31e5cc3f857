import { QuireError } from '@quire/core';

/**
 * The Authorization that a text stands for: white space around it does not count, and `scheme` goes before a token that has none.
 *
 * @throws INVALID_SETTING when it is empty or no token; the message names the setting and nothing of the text
 */
export function parseAuthorization(
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

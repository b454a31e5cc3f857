import type { AuthorizationProvider } from './authorization-provider.ts';
import { parseAuthorization } from './token-text.ts';

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

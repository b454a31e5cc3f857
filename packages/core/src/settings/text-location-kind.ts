import { isDecodable } from '../process/file-url.ts';
import { fileOrUri } from './path-kind.ts';
import type { SettingKind } from './setting-kind.ts';

/** The location of text that must not be in the settings file: a local file, or a URL. */
export type TextLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/**
 * A path, a `file:` URI, or an `http:` or `https:` URL, which may include a user name and a
 * password.
 */
export const textLocation: SettingKind<TextLocation> = {
  allowed: 'a path, a file: URI, or an http: or https: URL, without spaces',
  parse: (value, baseDir) => {
    if (!/^\S{1,2048}$/.test(value)) return undefined;
    if (/^https?:/i.test(value)) {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      const isUsable = url !== undefined && isDecodable(`${url.username}:${url.password}`);
      return isUsable ? { kind: 'url', url: url.href } : undefined;
    }
    const path = fileOrUri.parse(value, baseDir);
    return path === undefined ? undefined : { kind: 'file', path };
  },
  format: (value) => (value.kind === 'file' ? value.path : value.url),
};

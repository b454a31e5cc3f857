import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a `file:` URL. Undefined if it names no file of this machine: it has a host,
 * an escaped slash or NUL, or an escape that is not of UTF-8.
 */
export function pathOfFileUrl(url: URL): string | undefined {
  if (url.protocol !== 'file:' || url.host !== '') return undefined;
  if (/%(?:2f|00)/i.test(url.pathname) || !isDecodable(url.pathname)) return undefined;
  return fileURLToPath(url);
}

/** Reports whether all escapes of a part of a URL are of UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}

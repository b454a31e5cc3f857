import { QuireError } from '@quire/core';

/**
 * Decodes the text of a file or of standard input, without a byte order mark. @throws INVALID_BODY
 * when it is not UTF-8, where replacement characters would silently change it
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new QuireError('INVALID_BODY', `${name} is not UTF-8 text.`, { cause });
  }
}

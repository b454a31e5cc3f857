import { QuireError } from './errors.ts';

const keyPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})*$/;
const keyLengthMax = 512;

/**
 * Reports whether `text` is an object key.
 *
 * A key has at most 512 characters and consists of segments joined by `/`. A segment has 1 to 255
 * of `A-Z a-z 0-9 _ . -` and does not start with a dot or a dash. So no key can escape a root, hide
 * a file or be mistaken for an option, and every file system accepts it.
 */
export function isObjectKey(text: string): boolean {
  return text.length <= keyLengthMax && keyPattern.test(text);
}

/**
 * Checks that `key` is an object key.
 *
 * @throws INVALID_OBJECT_KEY when it is not
 */
export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) {
    throw new QuireError(
      'INVALID_OBJECT_KEY',
      `${JSON.stringify(key.slice(0, 80))} is not an object key: expected segments of A-Z a-z 0-9 _ . - joined by '/'.`,
    );
  }
}

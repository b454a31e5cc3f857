import { QuireError } from './errors.ts';

const keyPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})*$/;
const keyLengthMax = 512;

/**
 * Tells whether `text` is an object key: segments of `A-Z a-z 0-9 _ . -`, joined by `/`, none
 * empty, none starting with a dot or a dash, none of more than 255 characters; 512 characters at
 * most in all. So no key can leave a root, hide a file or be mistaken for an option, and every file
 * system can take it.
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

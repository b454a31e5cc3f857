import { createHmac } from 'node:crypto';

/**
 * Returns the owner tag of a principal: 32 bits by which the results of one owner are counted
 * together without opening them.
 *
 * It is the first four bytes of HMAC-SHA256 over the name in UTF-8. Without a secret key, anyone
 * can compute the tag of a name that they guess. All brokers and cleaners of a store must use the
 * same key. Two owners have the same tag, and then share one quota, with a probability of 2^-32.
 */
export function ownerTag(owner: string, key = ''): number {
  return createHmac('sha256', key).update(owner).digest().readUInt32BE();
}

/** Returns an owner tag as ids, logs and health show it: eight hexadecimal digits. */
export function formatOwnerTag(tag: number): string {
  return tag.toString(16).padStart(8, '0');
}

import { QuireError } from '../errors.ts';
import type { ByteRange, GetOptions, ObjectStore } from '../object-store.ts';

/** The alignment at which a typed array of any element size can start. */
const alignmentBytes = 8;

/**
 * Reads an object, or a range of it, into one array that is aligned for typed arrays.
 *
 * Nothing is copied when the store delivers the bytes in one aligned chunk, so the array may belong
 * to the store and must not be written to.
 *
 * @throws OBJECT_SHORT_READ when the store does not deliver exactly the requested bytes
 * @throws any error of the store's `get`
 */
export async function readObject(
  store: ObjectStore,
  key: string,
  options?: GetOptions,
): Promise<Uint8Array> {
  await using object = await store.get(key, options);
  const range: ByteRange = options?.range ?? { start: 0, end: object.sizeBytes };
  const length = range.end - range.start;
  let whole: Uint8Array | undefined;
  let filledBytes = 0;
  for await (const chunk of object.body) {
    const offset = filledBytes;
    filledBytes += chunk.byteLength;
    if (filledBytes > length) break;
    if (chunk.byteLength === length && chunk.byteOffset % alignmentBytes === 0) {
      whole = chunk;
    } else {
      whole ??= new Uint8Array(length);
      whole.set(chunk, offset);
    }
  }
  if (filledBytes !== length) {
    throw new QuireError(
      'OBJECT_SHORT_READ',
      `${key} in ${store.location} returned ${filledBytes < length ? `only ${filledBytes}` : 'more than'} bytes of [${range.start}, ${range.end}).`,
    );
  }
  return whole ?? new Uint8Array(0);
}

import type { ObjectEntry } from '../object-store.ts';

/** An object and its bytes, which never change. */
export interface StoredObject extends ObjectEntry {
  readonly blocks: readonly Uint8Array[];
}

/**
 * Objects by key, and the keys in order.
 *
 * Keys are mostly added in order and deleted from either end, where a sorted array is cheap;
 * elsewhere an insertion moves memory, some ten microseconds for a hundred thousand keys.
 */
export class SortedObjects {
  readonly #byKey = new Map<string, StoredObject>();
  #keys: string[] = [];

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  /** Adds or replaces an object; returns the one replaced. */
  set(object: StoredObject): StoredObject | undefined {
    const replaced = this.#byKey.get(object.key);
    if (replaced === undefined) this.#keys.splice(this.firstIndexFrom(object.key), 0, object.key);
    this.#byKey.set(object.key, object);
    return replaced;
  }

  /** Removes an object and returns it. */
  delete(key: string): StoredObject | undefined {
    const removed = this.#byKey.get(key);
    if (removed === undefined) return undefined;
    this.#keys.splice(this.firstIndexFrom(key), 1);
    this.#byKey.delete(key);
    return removed;
  }

  /** Removes all objects and returns them. */
  clear(): StoredObject[] {
    const removed = [...this.#byKey.values()];
    this.#byKey.clear();
    this.#keys = [];
    return removed;
  }

  /** The object at a position in key order. */
  at(index: number): StoredObject | undefined {
    const key = this.#keys[index];
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  /** The position of the first key that is `key` or sorts after it. */
  firstIndexFrom(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The position of the first key that sorts after `key`. */
  firstIndexAfter(key: string): number {
    const index = this.firstIndexFrom(key);
    return this.#keys[index] === key ? index + 1 : index;
  }
}

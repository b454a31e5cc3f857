import type { Value } from '@quire/expressions';

/** What a value takes beside its content, in bytes. */
const valueBytes = 8;

/** Values are larger than they may be all together. */
export class SizeLimitReached extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`Values of more than ${bytesMax} bytes`);
    this.name = 'SizeLimitReached';
    this.bytesMax = bytesMax;
  }
}

/** Counts what is made of rows, while it is made: what is thrown away again has taken time and memory as well. */
export class SizeBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  /** @throws SizeLimitReached when more is taken than there is */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new SizeLimitReached(this.#bytesMax);
  }

  /** Takes the size of a value. @throws SizeLimitReached as `take` */
  takeValue(value: Value): void {
    this.take(sizeOf(value));
  }
}

/** What a value takes, in bytes: a byte for a character, eight for whatever is in a list or an object, and their content. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return valueBytes + value.length;
  if (typeof value === 'bigint') return sizeOfInteger(value);
  if (typeof value !== 'object' || value === null) return valueBytes;
  if (value instanceof Uint8Array) return valueBytes + value.byteLength;
  let size = valueBytes;
  if (Array.isArray(value)) {
    for (const element of value as readonly Value[]) size += sizeOf(element);
    return size;
  }
  const members = value as Readonly<Record<string, Value>>;
  for (const name of Object.keys(members)) size += name.length + sizeOf(members[name] ?? null);
  return size;
}

function sizeOfInteger(value: bigint): number {
  return BigInt.asIntN(64, value) === value ? valueBytes : valueBytes + value.toString(16).length / 2;
}

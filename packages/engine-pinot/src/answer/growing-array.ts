type Numbers = Int32Array | Float32Array | Float64Array | BigInt64Array;

/** A typed array that grows to the index that is written. */
export class GrowingArray<Values extends Numbers> {
  values: Values;
  readonly #create: (length: number) => Values;

  constructor(create: (length: number) => Values) {
    this.#create = create;
    this.values = create(256);
  }

  set(index: number, value: Values extends BigInt64Array ? bigint : number): void {
    if (index >= this.values.length) this.grow(index);
    (this.values as { [index: number]: number | bigint })[index] = value;
  }

  grow(index: number): void {
    const larger = this.#create(Math.max(index + 1, this.values.length * 2));
    (larger as Float64Array).set(this.values as Float64Array);
    this.values = larger;
  }

  /** The first `length` values, in memory of their own. */
  finish(length: number): Values {
    return this.values.slice(0, length) as Values;
  }
}

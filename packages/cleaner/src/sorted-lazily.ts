/** The length below which a part is sorted completely. */
const smallLength = 64;

/**
 * Yields the items in order, each as soon as it is known: a quicksort that sorts only as far as it
 * is read, so that the first k of n cost n + k log k comparisons. Reorders `items`; no two may be
 * equal.
 */
export function* sortedLazily(
  items: Uint32Array,
  compare: (one: number, other: number) => number,
): Generator<number> {
  // The ends of parts, nearest last: everything in a part precedes everything in the parts that end
  // after it.
  const ends = [items.length];
  // Repeatedly bad pivots cost at most as much as the library's sort.
  let stepsLeft = items.length * 8;
  let start = 0;
  for (let end = ends.at(-1); end !== undefined; end = ends.at(-1)) {
    if (end - start > smallLength && stepsLeft > 0) {
      stepsLeft -= end - start;
      const middle = partition(items, start, end, compare);
      // A part is as large as the whole only if the comparison is inconsistent.
      if (middle > start && middle < end) {
        ends.push(middle);
        continue;
      }
    }
    const part = items.subarray(start, end).sort(compare);
    yield* part;
    start = end;
    ends.pop();
  }
}

/** Partitions a part (Hoare) and returns the start of its greater half. */
function partition(
  items: Uint32Array,
  start: number,
  end: number,
  compare: (one: number, other: number) => number,
): number {
  const pivot = pivotOf(items, start, end, compare);
  let [left, right] = [start, end - 1];
  for (;;) {
    while (compare(at(items, left), pivot) < 0) left += 1;
    while (compare(at(items, right), pivot) > 0) right -= 1;
    if (left >= right) return left;
    const item = at(items, left);
    items[left] = at(items, right);
    items[right] = item;
    left += 1;
    right -= 1;
  }
}

/** Returns the median of nine items that are spread over the part. */
function pivotOf(
  items: Uint32Array,
  start: number,
  end: number,
  compare: (one: number, other: number) => number,
): number {
  const step = Math.floor((end - start) / 9);
  const sample = Array.from({ length: 9 }, (_, index) => at(items, start + index * step)).toSorted(
    compare,
  );
  return sample[4] ?? 0;
}

function at(items: Uint32Array, index: number): number {
  return items[index] ?? 0;
}

import type { JsonObject, JsonValue } from '@quire/client';

/**
 * Messages by which each partition of a table lags, as its controller tells of its consuming
 * segments; null where it is not known.
 */
export function lagByPartition(consumingSegments: JsonObject): ReadonlyMap<string, number | null> {
  const lags = new Map<string, number | null>();
  for (const consumers of Object.values(consumingSegments)) {
    for (const consumer of Array.isArray(consumers) ? (consumers as readonly JsonValue[]) : []) {
      const byPartition = memberOf(memberOf(consumer, 'partitionOffsetInfo'), 'recordsLagMap');
      for (const partition of Object.keys(objectOf(memberOf(consumer, 'partitionToOffsetMap')))) {
        const text = memberOf(byPartition, partition);
        lags.set(partition, typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : null);
      }
    }
  }
  return lags;
}

/**
 * The lag of all partitions together; undefined while that of one is not known, or nothing
 * consumes.
 */
export function totalLag(lags: ReadonlyMap<string, number | null>): number | undefined {
  const known = [...lags.values()];
  if (known.length === 0 || known.includes(null)) return undefined;
  return known.reduce<number>((sum, lag) => sum + (lag ?? 0), 0);
}

/**
 * What the partitions say of themselves: why one stands still, and what its operator has to know.
 */
export function remarksByPartition(
  consumingSegments: JsonObject,
): readonly (readonly [partition: string, remark: string])[] {
  const consumers = Object.values(consumingSegments).flatMap((each) =>
    Array.isArray(each) ? (each as readonly JsonValue[]) : [],
  );
  return consumers.flatMap((consumer) => {
    const [partition = '?'] = Object.keys(objectOf(memberOf(consumer, 'partitionToOffsetMap')));
    const [state, error, notice] = ['state', 'error', 'notice'].map((name) =>
      memberOf(consumer, name),
    );
    return [
      ...(typeof error === 'string'
        ? [[partition, typeof state === 'string' ? `${state}: ${error}` : error] as const]
        : []),
      ...(typeof notice === 'string' ? [[partition, notice] as const] : []),
    ];
  });
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return objectOf(value)[name];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

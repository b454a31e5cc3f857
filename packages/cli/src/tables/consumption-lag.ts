import type { JsonObject, JsonValue } from '@quire/client';

/** The consumption of a partition, combined from all servers that consume it. */
export interface PartitionLine {
  readonly partition: string;
  /** STARTING, CONSUMING, RETRYING …; undefined for older controllers, which do not report it. */
  readonly state: string | undefined;
  /** The lag of the server that has consumed most; null if unknown. */
  readonly lagMessages: number | null;
  /** The reasons why it does not progress, and notices for its operator. */
  readonly remarks: readonly string[];
}

/**
 * Returns the partitions of a table, in order, from the controller's list of its consuming
 * segments.
 */
export function parsePartitions(consumingSegments: JsonObject): readonly PartitionLine[] {
  const lines = new Map<string, PartitionLine>();
  for (const consumers of Object.values(consumingSegments)) {
    for (const consumer of Array.isArray(consumers) ? (consumers as readonly JsonValue[]) : []) {
      for (const partition of partitionsOf(consumer)) {
        const line = lineOf(partition, consumer);
        const before = lines.get(partition);
        const lags = [before?.lagMessages, line.lagMessages].filter(
          (lag) => typeof lag === 'number',
        );
        const lagMessages = lags.length === 0 ? null : Math.min(...lags);
        lines.set(partition, { ...line, lagMessages });
      }
    }
  }
  return [...lines.values()].toSorted(
    (left, right) => Number(left.partition) - Number(right.partition),
  );
}

/**
 * Returns the lag of all partitions together; undefined if that of one is unknown, or no partition
 * is consumed.
 */
export function totalLag(partitions: readonly PartitionLine[]): number | undefined {
  const known = partitions.flatMap(({ lagMessages }) => lagMessages ?? []);
  if (known.length === 0 || known.length < partitions.length) return undefined;
  return known.reduce((sum, lag) => sum + lag, 0);
}

/** Returns the state of consumption: `running`, or the number of partitions that are not. */
export function consumptionState(partitions: readonly PartitionLine[]): string {
  const stopped = partitions.filter(({ state }) => state === 'RETRYING' || state === 'STOPPED');
  if (stopped.length === 0) return 'running';
  return `not running in ${stopped.length} of ${partitions.length} partitions`;
}

function lineOf(partition: string, consumer: JsonValue): PartitionLine {
  const lags = memberOf(memberOf(consumer, 'partitionOffsetInfo'), 'recordsLagMap');
  const lag = memberOf(lags, partition);
  const [state, error, notice] = ['state', 'error', 'notice'].map((name) => {
    const value = memberOf(consumer, name);
    return typeof value === 'string' ? value : undefined;
  });
  return {
    partition,
    state,
    lagMessages: typeof lag === 'string' && /^\d+$/.test(lag) ? Number(lag) : null,
    remarks: [
      ...(error === undefined ? [] : [state === undefined ? error : `${state}: ${error}`]),
      ...(notice === undefined ? [] : [notice]),
    ],
  };
}

function partitionsOf(consumer: JsonValue): readonly string[] {
  const partition = memberOf(consumer, 'partition');
  if (typeof partition === 'number') return [String(partition)];
  return Object.keys(objectOf(memberOf(consumer, 'partitionToOffsetMap')));
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return objectOf(value)[name];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

import type { JsonObject } from '@quire/client';

/** A partition of a table, as the most advanced of its servers reports it. */
export interface PartitionLag {
  readonly partition: string;
  readonly state: string;
  readonly offset: string;
  readonly latest: string;
  /** Undefined while it is unknown. */
  readonly lag: number | undefined;
  /** The reason why it does not progress, or the servers that do not. */
  readonly problem: string | undefined;
}

/** Returns the partitions of a table, in order, from its controller's consuming segments. */
export function parsePartitions(segments: JsonObject): readonly PartitionLag[] {
  const furthest = new Map<string, PartitionLag>();
  for (const info of Object.values(segments).flatMap((list) => list as unknown as Consumer[])) {
    const line = lineOf(info);
    const before = furthest.get(line.partition);
    if (before === undefined || Number(line.offset) > Number(before.offset)) {
      furthest.set(line.partition, line);
    }
  }
  return [...furthest.values()].toSorted(
    (one, other) => Number(one.partition) - Number(other.partition),
  );
}

function lineOf({
  partition: number,
  state,
  error,
  notice,
  partitionOffsetInfo,
}: Consumer): PartitionLag {
  const partition = String(number);
  const { currentOffsetsMap, latestUpstreamOffsetMap, recordsLagMap } = partitionOffsetInfo;
  const lag = Number(recordsLagMap[partition]);
  return {
    partition,
    state,
    offset: currentOffsetsMap[partition] ?? '',
    latest: latestUpstreamOffsetMap[partition] ?? '',
    lag: Number.isFinite(lag) ? lag : undefined,
    problem: error ?? notice,
  };
}

interface Consumer {
  readonly partition: number;
  readonly state: string;
  readonly error?: string;
  readonly notice?: string;
  readonly partitionOffsetInfo: Readonly<
    Record<
      'currentOffsetsMap' | 'latestUpstreamOffsetMap' | 'recordsLagMap',
      Readonly<Record<string, string>>
    >
  >;
}

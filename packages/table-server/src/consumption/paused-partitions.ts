import type { PartitionConsumption, PartitionState } from '@quire/core/table-engine';
import { noticeOf } from './lost-messages.ts';
import { type ConsumingRecord, isCommitted } from '../segments/manifest.ts';
import type { ServedTable } from '../served-table.ts';

type PartitionStatus = Omit<PartitionConsumption, 'lagMessages' | 'lagMs'>;

/** Reads the records of consuming segments whose rows are in no committed segment yet. */
export async function readConsumingRecords(
  table: ServedTable,
): Promise<readonly ConsumingRecord[]> {
  return (await table.readConsuming()).filter(
    (record) => !isCommitted(record, table.segments.manifest),
  );
}

/** Reads the positions at which the partitions of a paused table stopped from its directory. */
export async function readPausedPartitions(
  table: ServedTable,
  { state, error }: { readonly state: PartitionState; readonly error: string | null },
): Promise<readonly PartitionStatus[]> {
  const consuming = await readConsumingRecords(table);
  const { checkpoints, segments } = table.segments.manifest;
  const partitions = new Set([...checkpoints, ...consuming].map(({ partition }) => partition));
  return [...partitions].map((partition) => {
    const record = consuming.find((each) => each.partition === partition);
    const checkpoint = checkpoints.find((each) => each.partition === partition);
    const committedMs = segments.flatMap(({ stream, committedMs: ms }) =>
      stream?.partition === partition ? [ms] : [],
    );
    return {
      partition,
      state,
      segmentName: null,
      currentOffset: record?.endOffset ?? checkpoint?.endOffset ?? null,
      latestOffset: null,
      lastConsumedMs:
        record?.consumedMs ?? (committedMs.length === 0 ? null : Math.max(...committedMs)),
      skippedCount: 0,
      error,
      notice: record === undefined ? null : noticeOf(record),
    };
  });
}

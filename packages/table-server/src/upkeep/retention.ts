import type { TableConfigDocument } from '@quire/core/table-engine';
import { parseTableConfig } from '@quire/tables';
import type { SegmentRecord } from '../segments/manifest.ts';

const unitMs: Readonly<Record<string, number>> = {
  MILLISECONDS: 1,
  SECONDS: 1_000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
};

/** How long rows of a table are kept; undefined: for ever. */
export function retentionOf(config: TableConfigDocument): number | undefined {
  const { retentionTimeUnit, retentionTimeValue } = parseTableConfig(config).config.segmentsConfig ?? {};
  const ms = Number(retentionTimeValue ?? Number.NaN) * (unitMs[(retentionTimeUnit ?? '').toUpperCase()] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

/** Names of the segments whose newest row is older than the retention. One whose times are not known stays. */
export function planRetention(segments: readonly SegmentRecord[], retentionMs: number, nowMs: number): readonly string[] {
  return segments.flatMap(({ segmentName, maxTimeMs }) =>
    maxTimeMs !== null && maxTimeMs < nowMs - retentionMs ? [segmentName] : [],
  );
}

import type { RelationPart, TableConfigDocument } from '@quire/core/table-engine';
import { parseTableConfig, writeInFormat } from '@quire/tables';
import type { Manifest } from '../segments/manifest.ts';
import type { TimeColumn } from '../segments/table-columns.ts';

export type Boundary = NonNullable<RelationPart['boundary']>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Where the two halves of a table meet: rows of the offline half count up to it, those of the real-time half after it. It is one hour
 * before the newest offline row when the config says that files come hourly, else one day, as in the open peer: what came last may still
 * be incomplete. Undefined while there are no offline rows with a time: then both halves count in full.
 */
export function timeBoundary(
  offline: { readonly config: TableConfigDocument; readonly manifest: Manifest },
  time: TimeColumn | undefined,
): Omit<Boundary, 'side'> | undefined {
  if (time === undefined) return undefined;
  const newestMs = offline.manifest.segments.reduce((max, { maxTimeMs }) => Math.max(max, maxTimeMs ?? -Infinity), -Infinity);
  if (!Number.isFinite(newestMs)) return undefined;
  const { config } = parseTableConfig(offline.config);
  const batch = config.ingestionConfig?.batchIngestionConfig;
  const frequency = batch?.segmentIngestionFrequency ?? config.segmentsConfig?.segmentPushFrequency ?? 'DAILY';
  const isOfDays = time.format.kind === 'epoch' && time.format.unit === 'DAYS';
  const boundaryMs = newestMs - (frequency.toUpperCase() === 'HOURLY' && !isOfDays ? hourMs : dayMs);
  const value = writeInFormat(boundaryMs, time.format);
  return {
    columnName: time.name,
    value,
    isText: time.format.kind !== 'epoch',
  };
}

import type { TableConfig } from '../../src/index.ts';
import { realtime, type Scene, upsert } from './sound-table.ts';

/**
 * A case for a rule about table configs: a table that satisfies it, one that violates it, and the
 * location of the violation.
 */
export interface TableCase {
  readonly keeps: Scene;
  readonly breaks: Scene;
  readonly at: readonly string[];
}

/** Builders of scenes, by the part of the config that is different, and of pointers into them. */
export const kept = (config: TableConfig): Scene => ({ config });
export const ingestion = (ingestionConfig: TableConfig['ingestionConfig']): Scene => ({
  config: { ingestionConfig: ingestionConfig ?? {} },
});
export const index = (tableIndexConfig: TableConfig['tableIndexConfig']): Scene => ({
  config: { tableIndexConfig: tableIndexConfig ?? {} },
});
export const segments = (segmentsConfig: TableConfig['segmentsConfig']): Scene => ({
  config: { segmentsConfig: segmentsConfig ?? {} },
});
export const fields = (...fieldConfigList: NonNullable<TableConfig['fieldConfigList']>): Scene => ({
  config: { fieldConfigList },
});
export const tiers = (...tierConfigs: NonNullable<TableConfig['tierConfigs']>): Scene => ({
  config: { tierConfigs },
});
export const tasks = (taskTypeConfigsMap: Record<string, unknown>): Scene => ({
  config: { task: { taskTypeConfigsMap } },
});
export const transform = (columnName: string, transformFunction: string) => ({
  columnName,
  transformFunction,
});
export const transforms = (
  ...transformConfigs: { columnName: string; transformFunction: string }[]
): Scene => ingestion({ transformConfigs });
export const aggregations = (
  ...aggregationConfigs: { columnName?: string; aggregationFunction?: string }[]
): Scene => ingestion({ aggregationConfigs });
export const upserting = (
  upsertConfig: TableConfig['upsertConfig'],
  more: TableConfig = {},
): Scene => ({
  config: { ...upsert, ...more, upsertConfig: { ...upsert.upsertConfig, ...upsertConfig } },
});
export const streams = (...streamConfigMaps: Record<string, unknown>[]): Scene => ({
  config: { ...realtime, ingestionConfig: { streamIngestionConfig: { streamConfigMaps } } },
});
export const kafka = (topic: string, more: object = {}) => ({
  streamType: 'kafka',
  'stream.kafka.topic.name': topic,
  ...more,
});

export const starTree = (more: object): Scene =>
  index({
    starTreeIndexConfigs: [
      { dimensionsSplitOrder: ['customer'], functionColumnPairs: ['SUM__price'], ...more },
    ],
  });
export const tree = '/tableIndexConfig/starTreeIndexConfigs/0';
export const transformAt = (place: string) => `/ingestionConfig/transformConfigs/${place}`;
export const aggregationAt = (place: string) => `/ingestionConfig/aggregationConfigs${place}`;
export const streamAt = (place: number) =>
  `/ingestionConfig/streamIngestionConfig/streamConfigMaps/${place}`;
export const flush = (threshold: string) => `realtime.segment.flush.threshold.${threshold}`;

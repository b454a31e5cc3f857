import { upsert } from './sound-table.ts';
import { index, kept, type TableCase } from './table-scenes.ts';

const ingestion = (ingestionConfig: object) => ({ config: { ingestionConfig } });
const conforming = '/ingestionConfig/schemaConformingTransformerConfig';
const starTree = (pair: string) =>
  index({
    starTreeIndexConfigs: [
      { dimensionsSplitOrder: ['customer'], functionColumnPairs: [pair], maxLeafRecords: 10 },
    ],
  });

/** Cases of rules that were derived from the engine's own checks. */
export const engineCases: Readonly<Record<string, TableCase>> = {
  FILTER_EMPTY: {
    keeps: ingestion({ filterConfig: { filterFunction: 'price > 1' } }),
    breaks: ingestion({ filterConfig: { filterFunction: ' ' } }),
    at: ['/ingestionConfig/filterConfig/filterFunction'],
  },
  TIME_COLUMN_EMPTY: {
    keeps: { config: { segmentsConfig: { timeColumnName: 'orderTime' } } },
    breaks: { config: { segmentsConfig: { timeColumnName: '' } } },
    at: ['/segmentsConfig/timeColumnName'],
  },
  PREFIX_IN_SCHEMA: {
    keeps: ingestion({ complexTypeConfig: { prefixesToRename: { 'payload.': '' } } }),
    breaks: ingestion({ complexTypeConfig: { prefixesToRename: { cust: 'x' } } }),
    at: ['/ingestionConfig/complexTypeConfig/prefixesToRename/cust'],
  },
  ENRICHER_PROPERTIES: {
    keeps: ingestion({
      enrichmentConfigs: [
        { enricherType: 'generateColumn', properties: { fieldToFunctionMap: {} } },
      ],
    }),
    breaks: ingestion({
      enrichmentConfigs: [
        { enricherType: 'generateColumn' },
        { enricherType: 'generateColumn', properties: { fieldToFunctionMap: { x: ['now()'] } } },
        { enricherType: 'clpEnricher', properties: { fields: [['name']] } },
      ],
    }),
    at: [0, 1, 2].map((place) => `/ingestionConfig/enrichmentConfigs/${place}/properties`),
  },
  VAR_LENGTH_TYPE: {
    keeps: index({ varLengthDictionaryColumns: ['customer'] }),
    breaks: index({ varLengthDictionaryColumns: ['price'] }),
    at: ['/tableIndexConfig/varLengthDictionaryColumns/0'],
  },
  BLOOM_FILTER_FPP: {
    keeps: index({ bloomFilterConfigs: { customer: { fpp: 0.1 } } }),
    breaks: index({ bloomFilterConfigs: { customer: { fpp: 2 } } }),
    at: ['/tableIndexConfig/bloomFilterConfigs/customer'],
  },
  MEMBER_MISSING: {
    keeps: kept({ fieldConfigList: [{ name: 'id' }] }),
    breaks: kept({ fieldConfigList: [{ encodingType: 'RAW' }], task: {} }),
    at: ['/fieldConfigList/0/name', '/task/taskTypeConfigsMap'],
  },
  BATCH_FORMAT: {
    keeps: ingestion({ batchIngestionConfig: { batchConfigMaps: [{ inputFormat: 'csv' }] } }),
    breaks: ingestion({
      batchIngestionConfig: { batchConfigMaps: [{ inputFormat: 'csv' }, { inputFormat: 'xls' }] },
    }),
    at: ['/ingestionConfig/batchIngestionConfig/batchConfigMaps/1/inputFormat'],
  },
  SCHEMA_CONFORMING_COLUMN: {
    keeps: ingestion({ schemaConformingTransformerConfig: { indexableExtrasField: 'note' } }),
    breaks: ingestion({
      schemaConformingTransformerConfig: {
        indexableExtrasField: 'price',
        columnNameToJsonKeyPathMap: { nobody: 'a.b' },
      },
    }),
    at: [`${conforming}/columnNameToJsonKeyPathMap/nobody`, `${conforming}/indexableExtrasField`],
  },
  SCHEMA_CONFORMING_UNINDEXED: {
    keeps: ingestion({ schemaConformingTransformerConfig: { enableUnindexableExtras: false } }),
    breaks: ingestion({ schemaConformingTransformerConfig: { unindexableExtrasField: 'price' } }),
    at: [`${conforming}/unindexableExtrasField`],
  },
  SCHEMA_CONFORMING_FIELD: {
    keeps: ingestion({
      schemaConformingTransformerConfig: {
        fieldPathsToDrop: ['x'],
        fieldPathsToPreserveInput: ['customer', 'a.b'],
        columnNameToJsonKeyPathMap: { note: 'a.b' },
      },
    }),
    breaks: ingestion({
      schemaConformingTransformerConfig: {
        fieldPathsToDrop: ['price'],
        fieldPathsToPreserveInput: ['customer', 'x'],
        unindexableFieldSuffix: 'tomer',
      },
    }),
    at: [
      `${conforming}/fieldPathsToDrop`,
      `${conforming}/fieldPathsToPreserveInput/1`,
      `${conforming}/unindexableFieldSuffix`,
    ],
  },
  AGGREGATE_METRICS: {
    keeps: index({ aggregateMetrics: true }),
    breaks: kept({ ...upsert, tableIndexConfig: { aggregateMetrics: true } }),
    at: ['/tableIndexConfig/aggregateMetrics'],
  },
  TABLE_NAME_UNDERSCORES: {
    keeps: kept({ tableName: 'my_orders' }),
    breaks: kept({ tableName: 'my__orders' }),
    at: ['/tableName'],
  },
  PARTITION_SINGLE_VALUE: {
    keeps: index({
      segmentPartitionConfig: {
        columnPartitionMap: { customer: { functionName: 'Murmur', numPartitions: 4 } },
      },
    }),
    breaks: index({
      segmentPartitionConfig: {
        columnPartitionMap: { tags: { functionName: 'Murmur', numPartitions: 4 } },
      },
    }),
    at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/tags'],
  },
  STAR_TREE_STAR: {
    keeps: starTree('COUNT__*'),
    breaks: starTree('SUM__*'),
    at: ['/tableIndexConfig/starTreeIndexConfigs/0/functionColumnPairs/0'],
  },
  STAR_TREE_CHUNKS: {
    keeps: withChunks('1M'),
    breaks: withChunks('large'),
    at: ['/tableIndexConfig/starTreeIndexConfigs/0/aggregationConfigs/0/targetMaxChunkSize'],
  },
};

function withChunks(targetMaxChunkSize: string) {
  const aggregation = { columnName: 'price', aggregationFunction: 'SUM', targetMaxChunkSize };
  return index({
    starTreeIndexConfigs: [
      { dimensionsSplitOrder: ['customer'], aggregationConfigs: [aggregation] },
    ],
  });
}

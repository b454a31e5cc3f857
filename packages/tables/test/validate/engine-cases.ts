import { index, type TableCase } from './table-scenes.ts';

const ingestion = (ingestionConfig: object) => ({ config: { ingestionConfig } });
const starTree = (pair: string) =>
  index({ starTreeIndexConfigs: [{ dimensionsSplitOrder: ['customer'], functionColumnPairs: [pair], maxLeafRecords: 10 }] });

/** Cases of rules that the engine's own checks showed. */
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
    keeps: ingestion({ enrichmentConfigs: [{ enricherType: 'generateColumn', properties: { fieldToFunctionMap: {} } }] }),
    breaks: ingestion({ enrichmentConfigs: [{ enricherType: 'generateColumn' }] }),
    at: ['/ingestionConfig/enrichmentConfigs/0/properties'],
  },
  VAR_LENGTH_TYPE: {
    keeps: index({ varLengthDictionaryColumns: ['customer'] }),
    breaks: index({ varLengthDictionaryColumns: ['price'] }),
    at: ['/tableIndexConfig/varLengthDictionaryColumns/0'],
  },
  INDEX_OPTIONS_COLUMN: {
    keeps: index({ jsonIndexConfigs: { note: {} } }),
    breaks: index({ bloomFilterConfigs: { nobody: {} }, noDictionaryConfig: { nothing: 'SNAPPY' } }),
    at: ['/tableIndexConfig/bloomFilterConfigs/nobody', '/tableIndexConfig/noDictionaryConfig/nothing'],
  },
  BLOOM_FILTER_FPP: {
    keeps: index({ bloomFilterConfigs: { customer: { fpp: 0.1 } } }),
    breaks: index({ bloomFilterConfigs: { customer: { fpp: 2 } } }),
    at: ['/tableIndexConfig/bloomFilterConfigs/customer/fpp'],
  },
  PARTITION_SINGLE_VALUE: {
    keeps: index({ segmentPartitionConfig: { columnPartitionMap: { customer: { functionName: 'Murmur', numPartitions: 4 } } } }),
    breaks: index({ segmentPartitionConfig: { columnPartitionMap: { tags: { functionName: 'Murmur', numPartitions: 4 } } } }),
    at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/tags'],
  },
  STAR_TREE_STAR: {
    keeps: starTree('COUNT__*'),
    breaks: starTree('SUM__*'),
    at: ['/tableIndexConfig/starTreeIndexConfigs/0/functionColumnPairs/0'],
  },
};

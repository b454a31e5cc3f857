import type { TableSchema } from '../../src/index.ts';
import { fields, index, type TableCase } from './table-scenes.ts';
import { soundSchema } from './sound-table.ts';

const schema: TableSchema = {
  ...soundSchema,
  dimensionFieldSpecs: [
    ...(soundSchema.dimensionFieldSpecs ?? []),
    { name: 'place', dataType: 'BYTES', singleValueField: true },
    { name: 'vector', dataType: 'FLOAT', singleValueField: false },
  ],
  complexFieldSpecs: [{ name: 'facts', dataType: 'MAP' }],
};

/** Cases of rules about the columns that may have an index of a kind. */
export const indexTypeCases: Readonly<Record<string, TableCase>> = {
  TEXT_INDEX_TYPE: {
    keeps: fields({ name: 'customer', indexTypes: ['TEXT'] }, { name: 'tags', indexType: 'TEXT' }),
    breaks: fields({ name: 'price', indexTypes: ['RANGE', 'TEXT'] }),
    at: ['/fieldConfigList/0/indexTypes/1'],
  },
  FST_INDEX_TYPE: {
    keeps: fields({ name: 'customer', indexTypes: ['FST'] }),
    breaks: fields(
      { name: 'customer', encodingType: 'RAW', indexTypes: ['FST'] },
      { name: 'tags', indexType: 'FST' },
    ),
    at: ['/fieldConfigList/0/indexTypes/0', '/fieldConfigList/1/indexType'],
  },
  IFST_INDEX_TYPE: {
    keeps: fields({ name: 'customer', indexTypes: ['IFST'] }),
    breaks: fields({ name: 'tags', indexTypes: ['IFST'] }),
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  H3_INDEX_TYPE: {
    keeps: { ...fields({ name: 'place', indexTypes: ['H3'] }), schema },
    breaks: fields({ name: 'customer', indexTypes: ['H3'] }),
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  VECTOR_INDEX_TYPE: {
    keeps: { ...fields({ name: 'vector', indexTypes: ['VECTOR'] }), schema },
    breaks: fields({ name: 'price', indexTypes: ['VECTOR'] }),
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  RANGE_INDEX_TYPE: {
    keeps: index({ rangeIndexColumns: ['price', 'customer'], noDictionaryColumns: ['price'] }),
    breaks: index({
      rangeIndexColumns: ['price', 'customer'],
      noDictionaryColumns: ['price', 'customer'],
    }),
    at: ['/tableIndexConfig/rangeIndexColumns/1'],
  },
  BLOOM_FILTER_TYPE: {
    keeps: index({ bloomFilterColumns: ['id', 'nobody'] }),
    breaks: index({ bloomFilterColumns: ['id', 'isGone'] }),
    at: ['/tableIndexConfig/bloomFilterColumns/1'],
  },
  INVERTED_INDEX_TYPE: {
    keeps: fields({ name: 'id', indexTypes: ['INVERTED'] }),
    breaks: { ...fields({ name: 'facts', indexes: { inverted: {} } }), schema },
    at: ['/fieldConfigList/0/indexes/inverted'],
  },
  H3_RESOLUTIONS: {
    keeps: {
      ...fields({ name: 'place', indexTypes: ['H3'], properties: { resolutions: '5,8' } }),
      schema,
    },
    breaks: { ...fields({ name: 'place', indexTypes: ['H3'] }), schema },
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  VECTOR_OPTIONS: {
    keeps: {
      ...fields({ name: 'vector', indexes: { vector: { vectorIndexType: 'HNSW' } } }),
      schema,
    },
    breaks: {
      ...fields({
        name: 'vector',
        indexTypes: ['VECTOR'],
        properties: { vectorIndexType: 'HNSW' },
      }),
      schema,
    },
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  TEXT_INDEX_BUFFERS: {
    keeps: fields({
      name: 'customer',
      indexTypes: ['TEXT'],
      properties: { luceneMaxBufferSizeMB: '50' },
    }),
    breaks: fields({
      name: 'customer',
      indexTypes: ['TEXT'],
      properties: { luceneMaxBufferSizeMB: '50M' },
    }),
    at: ['/fieldConfigList/0/indexTypes/0'],
  },
  INDEX_OPTION: {
    keeps: {
      config: {
        tableIndexConfig: {
          jsonIndexConfigs: { note: { maxLevels: '2', includePaths: ['$.a'], other: [] } },
          bloomFilterConfigs: { id: null },
        },
        fieldConfigList: [
          { name: 'id', indexes: { range: 2, dictionary: 'false', unknown: 5, text: null } },
          { name: 'place', indexes: { h3: { resolution: [5, 8] } } },
        ],
      },
      schema,
    },
    breaks: {
      config: {
        tableIndexConfig: {
          jsonIndexConfigs: { note: { maxLevels: 'x', includePaths: '$.a' } },
          bloomFilterConfigs: { id: 'on', customer: { disabled: 'maybe', fpp: [] } },
        },
        fieldConfigList: [
          { name: 'customer', indexes: { text: true, fst: { type: 'native' }, range: 1.5 } },
          { name: 'place', indexes: { h3: { resolution: '5' } } },
          { name: 'vector', indexes: { vector: { vectorIndexType: 'HNSW', properties: 5 } } },
          { name: 'id', indexes: { forward: { targetMaxChunkSize: 'x' }, json: 0 } },
        ],
      },
      schema,
    },
    at: [
      '/fieldConfigList/0/indexes/fst/type',
      '/fieldConfigList/0/indexes/range',
      '/fieldConfigList/0/indexes/text',
      '/fieldConfigList/1/indexes/h3/resolution',
      '/fieldConfigList/2/indexes/vector/properties',
      '/fieldConfigList/3/indexes/forward/targetMaxChunkSize',
      '/fieldConfigList/3/indexes/json',
      '/tableIndexConfig/bloomFilterConfigs/customer/disabled',
      '/tableIndexConfig/bloomFilterConfigs/customer/fpp',
      '/tableIndexConfig/bloomFilterConfigs/id',
      '/tableIndexConfig/jsonIndexConfigs/note/includePaths',
      '/tableIndexConfig/jsonIndexConfigs/note/maxLevels',
    ],
  },
};

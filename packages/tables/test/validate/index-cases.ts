import { index, fields, starTree, tree, type TableCase } from './table-scenes.ts';

const columnsText = '/tableIndexConfig/multiColumnTextIndexConfig';

/** Cases of rules about indexes and star-trees. */
export const indexCases: Readonly<Record<string, TableCase>> = {
  INDEX_COLUMN_UNKNOWN: {
    keeps: index({ invertedIndexColumns: ['customer'], bloomFilterColumns: ['id'] }),
    breaks: {
      config: {
        tableIndexConfig: {
          invertedIndexColumns: ['customer', 'nobody'],
          rangeIndexColumns: ['cost'],
        },
        fieldConfigList: [{ name: 'nothing' }],
      },
    },
    at: [
      '/fieldConfigList/0/name',
      '/tableIndexConfig/invertedIndexColumns/1',
      '/tableIndexConfig/rangeIndexColumns/0',
    ],
  },
  SORTED_COLUMN: {
    keeps: index({ sortedColumn: ['customer'] }),
    breaks: index({ sortedColumn: ['customer', 'tags'] }),
    at: ['/tableIndexConfig/sortedColumn/1'],
  },
  SORTED_COLUMNS: {
    keeps: index({ sortedColumn: ['customer', ''] }),
    breaks: index({ sortedColumn: ['customer', 'id'] }),
    at: ['/tableIndexConfig/sortedColumn'],
  },
  INDEX_TWICE: {
    keeps: fields({ name: 'note', indexes: { json: { maxLevels: 2 } } }),
    breaks: {
      config: {
        tableIndexConfig: { jsonIndexColumns: ['note'] },
        fieldConfigList: [{ name: 'note', indexes: { json: {} } }],
      },
    },
    at: ['/tableIndexConfig/jsonIndexColumns/0'],
  },
  FORWARD_INDEX_DISABLED: {
    keeps: fields({ name: 'customer', properties: { forwardIndexDisabled: 'true' } }),
    breaks: {
      config: {
        tableIndexConfig: { optimizeDictionary: true, rangeIndexColumns: ['tags'] },
        fieldConfigList: [{ name: 'tags', indexes: { forward: { disabled: true } } }],
      },
    },
    at: ['/fieldConfigList/0', '/fieldConfigList/0'],
  },
  INVERTED_NO_DICTIONARY: {
    keeps: index({ invertedIndexColumns: ['customer'], noDictionaryColumns: ['price'] }),
    breaks: index({ invertedIndexColumns: ['id', 'customer'], noDictionaryColumns: ['customer'] }),
    at: ['/tableIndexConfig/invertedIndexColumns/1'],
  },
  JSON_INDEX_TYPE: {
    keeps: index({ jsonIndexColumns: ['note'] }),
    breaks: index({ jsonIndexColumns: ['note', 'price', 'tags'] }),
    at: ['/tableIndexConfig/jsonIndexColumns/1', '/tableIndexConfig/jsonIndexColumns/2'],
  },
  TIMESTAMP_INDEX: {
    keeps: fields({
      name: 'orderTime',
      indexTypes: ['TIMESTAMP'],
      timestampConfig: { granularities: ['DAY'] },
    }),
    breaks: fields({ name: 'customer', timestampConfig: { granularities: ['DAY'] } }),
    at: ['/fieldConfigList/0/timestampConfig'],
  },
  TIMESTAMP_GRANULARITIES: {
    keeps: fields({
      name: 'orderTime',
      indexTypes: ['TIMESTAMP'],
      timestampConfig: { granularities: ['DAY'] },
    }),
    breaks: fields({ name: 'orderTime', indexTypes: ['TIMESTAMP'] }),
    at: ['/fieldConfigList/0/timestampConfig/granularities'],
  },
  FIELD_CONFIG_TWICE: {
    keeps: fields({ name: 'id' }, { name: 'day' }),
    breaks: fields({ name: 'id' }, {}, { name: 'id' }),
    at: ['/fieldConfigList/2/name'],
  },
  ENCODING_CONFLICT: {
    keeps: {
      config: {
        tableIndexConfig: { noDictionaryColumns: ['price'] },
        fieldConfigList: [{ name: 'price', encodingType: 'RAW' }],
      },
    },
    breaks: {
      config: {
        tableIndexConfig: { noDictionaryColumns: ['price'] },
        fieldConfigList: [{ name: 'price', encodingType: 'DICTIONARY' }],
      },
    },
    at: ['/fieldConfigList/0/encodingType'],
  },
  COMPRESSION_CODEC: {
    keeps: fields(
      { name: 'price', encodingType: 'RAW', compressionCodec: 'LZ4' },
      { name: 'tags', compressionCodec: 'MV_ENTRY_DICT' },
      { name: 'customer', encodingType: 'RAW', compressionCodec: 'CLP' },
    ),
    breaks: fields(
      { name: 'price', compressionCodec: 'LZ4' },
      { name: 'customer', compressionCodec: 'MV_ENTRY_DICT' },
      { name: 'isGone', encodingType: 'RAW', compressionCodec: 'CLP' },
      { name: 'id', encodingType: 'RAW', compressionCodec: 'DELTA' },
      { name: 'id', encodingType: 'RAW', indexes: { forward: { compressionCodec: 'ZIP' } } },
      { name: 'id', encodingType: 'RAW', indexes: { forward: { chunkCompressionType: 'GZIP' } } },
    ),
    at: [
      '/fieldConfigList/0/compressionCodec',
      '/fieldConfigList/2/compressionCodec',
      '/fieldConfigList/3/compressionCodec',
      '/fieldConfigList/4/indexes/forward/compressionCodec',
      '/fieldConfigList/5/indexes/forward/chunkCompressionType',
    ],
  },
  MULTI_COLUMN_TEXT_INDEX: {
    keeps: index({
      multiColumnTextIndexConfig: {
        columns: ['customer', 'tags'],
        properties: { luceneUseCompoundFile: 'true' },
        perColumnProperties: { tags: { caseSensitive: 'true' } },
      },
    }),
    breaks: index({
      multiColumnTextIndexConfig: {
        columns: ['customer', 'customer'],
        properties: { colour: 'red' },
        perColumnProperties: { tags: {}, customer: { luceneUseCompoundFile: 'true' } },
      },
    }),
    at: [
      `${columnsText}/columns/1`,
      `${columnsText}/perColumnProperties/customer/luceneUseCompoundFile`,
      `${columnsText}/perColumnProperties/tags`,
      `${columnsText}/properties/colour`,
    ],
  },
  STAR_TREE_DIMENSION: {
    keeps: starTree({}),
    breaks: starTree({ dimensionsSplitOrder: ['customer', 'tags', 'nobody'] }),
    at: [`${tree}/dimensionsSplitOrder/1`, `${tree}/dimensionsSplitOrder/2`],
  },
  STAR_TREE_SKIPPED: {
    keeps: starTree({ skipStarNodeCreationForDimensions: ['customer'] }),
    breaks: starTree({ skipStarNodeCreationForDimensions: ['id'] }),
    at: [`${tree}/skipStarNodeCreationForDimensions/0`],
  },
  STAR_TREE_TWICE: {
    keeps: starTree({ functionColumnPairs: ['SUM__price', 'MAX__price'] }),
    breaks: starTree({ functionColumnPairs: ['DISTINCTCOUNT__id', 'DISTINCT_COUNT__id'] }),
    at: [`${tree}/functionColumnPairs/1`],
  },
  STAR_TREE_FUNCTION_PAIR: {
    keeps: starTree({ functionColumnPairs: ['COUNT__*', 'MAX__price'] }),
    breaks: starTree({ functionColumnPairs: ['SUM(price)', 'SUM__cost'] }),
    at: [`${tree}/functionColumnPairs/0`, `${tree}/functionColumnPairs/1`],
  },
};

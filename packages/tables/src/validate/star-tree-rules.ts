import { columnNamed, rawColumnsOf } from './column-indexes.ts';
import { aggregationNames } from './aggregations.ts';
import { type CheckedTable, repeated, type TableRule } from './rule.ts';

/** Rules about star-trees. */
export const starTreeRules: readonly TableRule[] = [
  {
    code: 'STAR_TREE_DIMENSION',
    subject: 'indexes',
    severity: 'error',
    description: 'A star-tree has dimensions, which are columns of the schema with a dictionary and one value in a row, not MAP.',
    *check({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [path, { dimensionsSplitOrder = [] }] of starTreesOf(config)) {
        if (dimensionsSplitOrder.length === 0) {
          yield { path: `${path}/dimensionsSplitOrder`, message: 'The star-tree has no dimensions.' };
        }
        for (const [index, name] of dimensionsSplitOrder.entries()) {
          const itemPath = `${path}/dimensionsSplitOrder/${index}`;
          const column = columnNamed(name, schema);
          if (schema !== undefined && column === undefined) {
            yield { path: itemPath, message: `The schema has no column ${name}.` };
          }
          if (column?.isMultiValue === true) yield { path: itemPath, message: `${name} holds lists.` };
          if (column?.dataType === 'MAP') yield { path: itemPath, message: `${name} holds maps.` };
          if (raw.has(name)) yield { path: itemPath, message: `${name} has no dictionary.` };
        }
      }
    },
  },
  {
    code: 'STAR_TREE_SKIPPED',
    subject: 'indexes',
    severity: 'error',
    description: 'Dimensions without star nodes are dimensions of the star-tree.',
    *check({ config }) {
      for (const [path, { dimensionsSplitOrder = [], skipStarNodeCreationForDimensions = [] }] of starTreesOf(config)) {
        for (const [index, name] of skipStarNodeCreationForDimensions.entries()) {
          const itemPath = `${path}/skipStarNodeCreationForDimensions/${index}`;
          if (!dimensionsSplitOrder.includes(name)) yield { path: itemPath, message: `${name} is not in dimensionsSplitOrder.` };
        }
      }
    },
  },
  {
    code: 'STAR_TREE_FUNCTION_PAIR',
    subject: 'indexes',
    severity: 'error',
    description:
      'A star-tree aggregates something, by functionColumnPairs such as SUM__price or by aggregationConfigs, not both: aggregations that there are, of columns of the schema.',
    *check({ config, schema }) {
      for (const [path, tree] of starTreesOf(config)) {
        const { functionColumnPairs = [], aggregationConfigs = [] } = tree;
        if (functionColumnPairs.length + aggregationConfigs.length === 0) {
          yield { path: `${path}/functionColumnPairs`, message: 'The star-tree aggregates nothing.' };
        }
        if (functionColumnPairs.length > 0 && aggregationConfigs.length > 0) {
          yield { path: `${path}/aggregationConfigs`, message: 'There are functionColumnPairs as well.' };
        }
        for (const { path: itemPath, name, column } of pairsOf(path, tree)) {
          if (name === '' || column === undefined) {
            yield { path: itemPath, message: 'The pair is not of the form FUNCTION__column, such as SUM__price.' };
          } else if (!isAggregation(name)) yield { path: itemPath, message: `There is no aggregation ${name}.` };
          else if (column !== '*' && !isCount(name)) {
            const found = columnNamed(column, schema);
            if (schema !== undefined && found === undefined) {
              yield { path: itemPath, message: `The schema has no column ${column}.` };
            }
            if (found?.dataType === 'MAP') yield { path: itemPath, message: `${column} holds maps.` };
          }
        }
      }
    },
  },
  {
    code: 'STAR_TREE_TWICE',
    subject: 'indexes',
    severity: 'error',
    description: 'A star-tree has each pair of aggregation and column once.',
    *check({ config }) {
      for (const [path, tree] of starTreesOf(config)) {
        const pairs = pairsOf(path, tree);
        const names = pairs.map(({ name, column = '' }) => (isCount(name) ? 'COUNT' : `${plain(name)} of ${column}`));
        for (const [name, index] of repeated(names)) {
          yield { path: pairs[index]?.path ?? path, message: `There is another ${name}.` };
        }
      }
    },
  },
  {
    code: 'STAR_TREE_STAR',
    subject: 'indexes',
    severity: 'error',
    description: 'Only COUNT aggregates * in a star-tree.',
    *check({ config }) {
      for (const [path, tree] of starTreesOf(config)) {
        for (const { path: itemPath, name, column } of pairsOf(path, tree)) {
          if (column !== '*' || isCount(name)) continue;
          yield { path: itemPath, message: `${name} of * aggregates no column: name one, as in SUM__price.` };
        }
      }
    },
  },
];

type StarTree = NonNullable<NonNullable<CheckedTable['config']['tableIndexConfig']>['starTreeIndexConfigs']>[number];

interface Pair {
  readonly path: string;
  readonly name: string;
  readonly column: string | undefined;
}

function pairsOf(path: string, { functionColumnPairs = [], aggregationConfigs = [] }: StarTree): readonly Pair[] {
  return [
    ...functionColumnPairs.map((pair, index): Pair => {
      const [, name = '', column] = /^(.*?)__(.*)$/s.exec(pair) ?? [];
      return { path: `${path}/functionColumnPairs/${index}`, name, column };
    }),
    ...aggregationConfigs.map(({ aggregationFunction = '', columnName }, index): Pair => {
      return { path: `${path}/aggregationConfigs/${index}`, name: aggregationFunction, column: columnName };
    }),
  ];
}

function isAggregation(name: string): boolean {
  return aggregationNames.has(plain(name)) || /^PERCENTILE(?:RAW)?(?:EST|TDIGEST|KLL)?\d*(?:MV)?$/.test(plain(name));
}

function isCount(name: string): boolean {
  return plain(name) === 'COUNT';
}

function plain(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

function starTreesOf(config: CheckedTable['config']): readonly (readonly [path: string, tree: StarTree])[] {
  return (config.tableIndexConfig?.starTreeIndexConfigs ?? []).map((tree, index) => [
    `/tableIndexConfig/starTreeIndexConfigs/${index}`,
    tree,
  ]);
}

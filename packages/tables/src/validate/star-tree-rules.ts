import { columnNamed, rawColumnsOf } from './index-rules.ts';
import type { CheckedTable, TableRule } from './rule.ts';

/** Rules about star-trees. */
export const starTreeRules: readonly TableRule[] = [
  {
    code: 'STAR_TREE_DIMENSION',
    subject: 'indexes',
    severity: 'error',
    description: 'A star-tree has dimensions, which are columns of the schema with a dictionary and one value in a row.',
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
      'A star-tree aggregates something: FUNCTION__column of functionColumnPairs, or aggregationConfigs, with columns of the schema.',
    *check({ config, schema }) {
      for (const [path, { functionColumnPairs = [], aggregationConfigs = [] }] of starTreesOf(config)) {
        if (functionColumnPairs.length + aggregationConfigs.length === 0) {
          yield { path: `${path}/functionColumnPairs`, message: 'The star-tree aggregates nothing.' };
        }
        for (const [index, pair] of functionColumnPairs.entries()) {
          const itemPath = `${path}/functionColumnPairs/${index}`;
          const [, column] = /^[A-Za-z0-9]+__(.+)$/.exec(pair) ?? [];
          if (column === undefined) {
            yield { path: itemPath, message: `‘${pair}’ is not of the form FUNCTION__column, such as SUM__price.` };
          } else if (column !== '*' && schema !== undefined && columnNamed(column, schema) === undefined) {
            yield { path: itemPath, message: `The schema has no column ${column}.` };
          }
        }
      }
    },
  },
];

type StarTree = NonNullable<NonNullable<CheckedTable['config']['tableIndexConfig']>['starTreeIndexConfigs']>[number];

function starTreesOf(config: CheckedTable['config']): readonly (readonly [path: string, tree: StarTree])[] {
  return (config.tableIndexConfig?.starTreeIndexConfigs ?? []).map((tree, index) => [
    `/tableIndexConfig/starTreeIndexConfigs/${index}`,
    tree,
  ]);
}

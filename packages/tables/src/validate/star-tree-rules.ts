import { rawColumnsOf } from './column-indexes.ts';
import {
  type CheckedTable,
  columnNamed,
  placed,
  repeated,
  rulesAbout,
  unknownColumns,
} from './rule.ts';
import { isSize } from './values-at.ts';

const { error } = rulesAbout('indexes');

/** Rules about star-trees. */
export const starTreeRules = [
  error(
    'STAR_TREE_DIMENSION',
    'A star-tree must have dimensions: single-value columns of the schema with a dictionary, other than MAP.',
    function* ({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [path, { dimensionsSplitOrder = [] }] of starTreesOf(config)) {
        if (dimensionsSplitOrder.length === 0) {
          yield [`${path}/dimensionsSplitOrder`, 'The star-tree has no dimensions.'];
        }
        const dimensions = placed(`${path}/dimensionsSplitOrder`, dimensionsSplitOrder);
        yield* unknownColumns(dimensions, schema);
        for (const [itemPath, name] of dimensions) {
          const column = columnNamed(name, schema);
          if (column?.isMultiValue === true) {
            yield [
              itemPath,
              `${name} is a multi-value column, which cannot be a dimension of a star-tree.`,
            ];
          }
          if (column?.dataType === 'MAP') {
            yield [
              itemPath,
              `${name} is a MAP column, which cannot be a dimension of a star-tree.`,
            ];
          }
          if (raw.has(name)) {
            yield [itemPath, `${name} has no dictionary, which dimensions of a star-tree require.`];
          }
        }
      }
    },
  ),
  error(
    'STAR_TREE_SKIPPED',
    'skipStarNodeCreationForDimensions must name dimensions of the star-tree.',
    function* ({ config }) {
      for (const [
        path,
        { dimensionsSplitOrder = [], skipStarNodeCreationForDimensions: skipped },
      ] of starTreesOf(config)) {
        for (const [itemPath, name] of placed(
          `${path}/skipStarNodeCreationForDimensions`,
          skipped,
        )) {
          if (!dimensionsSplitOrder.includes(name)) {
            yield [itemPath, `${name} is not in dimensionsSplitOrder.`];
          }
        }
      }
    },
  ),
  error(
    'STAR_TREE_FUNCTION_PAIR',
    'A star-tree must have either functionColumnPairs such as SUM__price or aggregationConfigs, with known aggregations of columns of the schema.',
    function* ({ config, schema }) {
      for (const [path, tree] of starTreesOf(config)) {
        const { functionColumnPairs = [], aggregationConfigs = [] } = tree;
        if (functionColumnPairs.length + aggregationConfigs.length === 0) {
          yield [
            `${path}/functionColumnPairs`,
            'The star-tree has no aggregations: add functionColumnPairs such as SUM__price.',
          ];
        }
        if (functionColumnPairs.length > 0 && aggregationConfigs.length > 0) {
          yield [
            `${path}/aggregationConfigs`,
            'aggregationConfigs cannot be combined with functionColumnPairs: remove one of them.',
          ];
        }
        for (const { path: itemPath, name, column } of pairsOf(path, tree)) {
          if (name === '' || column === undefined) {
            yield [itemPath, 'The pair is not of the form FUNCTION__column, such as SUM__price.'];
          } else if (!isAggregation(name)) yield [itemPath, `${name} is not a known aggregation.`];
          else if (column !== '*' && !isCount(name)) {
            yield* unknownColumns([[itemPath, column]], schema);
            if (columnNamed(column, schema)?.dataType === 'MAP') {
              yield [itemPath, `${column} is a MAP column, which cannot be aggregated.`];
            }
          }
        }
      }
    },
  ),
  error(
    'STAR_TREE_TWICE',
    'A star-tree must not repeat a pair of aggregation and column.',
    function* ({ config }) {
      for (const [path, tree] of starTreesOf(config)) {
        const names = pairsOf(path, tree).map(({ path: itemPath, name, column = '' }) => {
          return [itemPath, isCount(name) ? 'COUNT' : `${plain(name)} of ${column}`] as const;
        });
        yield* repeated(names, (name) => `The aggregation ${name} is repeated.`);
      }
    },
  ),
  error(
    'STAR_TREE_CHUNKS',
    'The targetMaxChunkSize of an aggregation of a star-tree must be a size such as 1M.',
    function* ({ config }) {
      for (const [path, { aggregationConfigs }] of starTreesOf(config)) {
        for (const [place, { targetMaxChunkSize: size }] of placed(
          `${path}/aggregationConfigs`,
          aggregationConfigs,
        )) {
          if (size === undefined || isSize(size)) continue;
          yield [`${place}/targetMaxChunkSize`, `‘${size}’ is not a size such as 1M.`];
        }
      }
    },
  ),
  error('STAR_TREE_STAR', 'In a star-tree, only COUNT can aggregate *.', function* ({ config }) {
    for (const [path, tree] of starTreesOf(config)) {
      for (const { path: itemPath, name, column } of pairsOf(path, tree)) {
        if (column !== '*' || isCount(name)) continue;
        yield [itemPath, `${name} cannot aggregate *: name a column, as in SUM__price.`];
      }
    }
  }),
];

type StarTree = NonNullable<
  NonNullable<CheckedTable['config']['tableIndexConfig']>['starTreeIndexConfigs']
>[number];

interface Pair {
  readonly path: string;
  readonly name: string;
  readonly column: string | undefined;
}

function pairsOf(
  path: string,
  { functionColumnPairs = [], aggregationConfigs = [] }: StarTree,
): readonly Pair[] {
  return [
    ...functionColumnPairs.map((pair, index): Pair => {
      const [, name = '', column] = /^(.*?)__(.*)$/s.exec(pair) ?? [];
      return { path: `${path}/functionColumnPairs/${index}`, name, column };
    }),
    ...aggregationConfigs.map(({ aggregationFunction = '', columnName }, index): Pair => {
      return {
        path: `${path}/aggregationConfigs/${index}`,
        name: aggregationFunction,
        column: columnName,
      };
    }),
  ];
}

/** The names of Apache Pinot's aggregations, in upper case and without underscores. */
const aggregationNames: ReadonlySet<string> = new Set(
  `COUNT MIN MAX MINSTRING MAXSTRING MINLONG MAXLONG SUM SUM0 SUMINT SUMLONG SUMPRECISION AVG MODE ANYVALUE FIRSTWITHTIME LASTWITHTIME
  MINMAXRANGE DISTINCTCOUNT DISTINCTCOUNTOFFHEAP DISTINCTSUM DISTINCTAVG DISTINCTCOUNTBITMAP SEGMENTPARTITIONEDDISTINCTCOUNT
  DISTINCTCOUNTHLL DISTINCTCOUNTRAWHLL DISTINCTCOUNTSMARTHLL DISTINCTCOUNTSMARTHLLPLUS DISTINCTCOUNTHLLPLUS DISTINCTCOUNTRAWHLLPLUS
  DISTINCTCOUNTULL DISTINCTCOUNTRAWULL DISTINCTCOUNTSMARTULL DISTINCTCOUNTTHETASKETCH DISTINCTCOUNTRAWTHETASKETCH
  DISTINCTCOUNTTUPLESKETCH DISTINCTCOUNTRAWINTEGERSUMTUPLESKETCH SUMVALUESINTEGERSUMTUPLESKETCH AVGVALUEINTEGERSUMTUPLESKETCH
  DISTINCTCOUNTCPCSKETCH DISTINCTCOUNTRAWCPCSKETCH PERCENTILESMARTTDIGEST IDSET HISTOGRAM COVARPOP COVARSAMP VARPOP VARSAMP STDDEVPOP
  STDDEVSAMP SKEWNESS KURTOSIS FOURTHMOMENT FREQUENTSTRINGSSKETCH FREQUENTLONGSSKETCH STUNION BOOLAND BOOLOR EXPRMIN EXPRMAX ARRAYAGG
  LISTAGG SUMARRAYLONG SUMARRAYDOUBLE FUNNELMAXSTEP FUNNELCOMPLETECOUNT FUNNELSTEPDURATIONSTATS FUNNELMATCHSTEP
  FUNNELEVENTSFUNCTIONEVAL FUNNELCOUNT COUNTMV MINMV MAXMV SUMMV AVGMV MINMAXRANGEMV DISTINCTCOUNTMV DISTINCTSUMMV DISTINCTAVGMV
  DISTINCTCOUNTBITMAPMV DISTINCTCOUNTHLLMV DISTINCTCOUNTRAWHLLMV DISTINCTCOUNTHLLPLUSMV DISTINCTCOUNTRAWHLLPLUSMV TIMESERIESAGGREGATE`.split(
    /\s+/,
  ),
);

function isAggregation(name: string): boolean {
  return (
    aggregationNames.has(plain(name)) ||
    /^PERCENTILE(?:RAW)?(?:EST|TDIGEST|KLL)?\d*(?:MV)?$/.test(plain(name))
  );
}

function isCount(name: string): boolean {
  return plain(name) === 'COUNT';
}

function plain(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

function starTreesOf({ tableIndexConfig }: CheckedTable['config']) {
  return placed('/tableIndexConfig/starTreeIndexConfigs', tableIndexConfig?.starTreeIndexConfigs);
}

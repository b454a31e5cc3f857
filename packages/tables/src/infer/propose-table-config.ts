import type { TableConfig } from '../config/table-config.ts';
import { printExpression } from '../expressions/index.ts';
import type { InferredColumn } from './decide-column.ts';
import type { Explanation, InferredSchema } from './schema-inference.ts';

/** A table config, and the reasons for its choices. */
export interface ProposedTableConfig {
  readonly config: TableConfig;
  readonly explanations: readonly Explanation[];
}

/**
 * The valid times of the time column are from 1971 to 2070; segments with other times are refused.
 */
const earliestMs = Date.UTC(1971, 0, 1);
const latestMs = Date.UTC(2071, 0, 1);

/**
 * Proposes the config of an offline table for rows of an inferred schema. Pure; every choice is
 * explained.
 */
export function proposeTableConfig(
  inferred: InferredSchema,
  tableName = inferred.schema.schemaName ?? 'table',
): ProposedTableConfig {
  const time = chooseTimeColumn(inferred.columns);
  const renamed = inferred.columns.filter(({ name, source }) => name !== source);
  const json = inferred.columns
    .filter(({ dataType }) => dataType === 'JSON')
    .map(({ name }) => name);
  const raw = inferred.columns.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
  const choices: readonly (readonly [isMade: boolean, path: string, message: string])[] = [
    [
      true,
      '/tableType',
      'The table is OFFLINE: it is loaded from rows and files, not from a stream.',
    ],
    [
      true,
      '/segmentsConfig/replication',
      'Each segment has one copy: raise the replication if servers may fail.',
    ],
    [true, '/segmentsConfig/timeColumnName', explainTime(time)],
    [
      renamed.length > 0,
      '/ingestionConfig/transformConfigs',
      `Fields whose names are not valid for columns are renamed: ${renamed.map(({ source }) => source).join(', ')}.`,
    ],
    [
      inferred.hasNested,
      '/ingestionConfig/complexTypeConfig',
      'Rows contain objects: their fields become columns with names joined by a dot, and lists of objects become JSON.',
    ],
    [
      json.length > 0,
      '/tableIndexConfig/jsonIndexColumns',
      `These JSON columns have a JSON index: ${json.join(', ')}.`,
    ],
    [
      raw.length > 0,
      '/tableIndexConfig/noDictionaryColumns',
      `These metrics have no dictionary, because their values rarely repeat: ${raw.join(', ')}.`,
    ],
  ];
  return {
    config: {
      tableName,
      tableType: 'OFFLINE',
      segmentsConfig: {
        replication: '1',
        ...(time !== undefined && { timeColumnName: time.name }),
      },
      tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
      tableIndexConfig: {
        loadMode: 'MMAP',
        nullHandlingEnabled: true,
        jsonIndexColumns: json,
        noDictionaryColumns: raw,
      },
      ingestionConfig: {
        batchIngestionConfig: {
          segmentIngestionType: 'APPEND',
          segmentIngestionFrequency: 'DAILY',
        },
        transformConfigs: renamed.map(({ name, source }) => ({
          columnName: name,
          transformFunction: printExpression({ kind: 'column', name: source }),
        })),
        ...(inferred.hasNested && {
          complexTypeConfig: { delimiter: '.', collectionNotUnnestedToJson: 'NON_PRIMITIVE' },
        }),
      },
    },
    explanations: choices
      .filter(([isMade]) => isMade)
      .map(([, path, message]) => ({ path, message })),
  };
}

/**
 * Returns the time column that has a value in every row, preferring finer units; of several equal
 * ones, the first.
 */
function chooseTimeColumn(columns: readonly InferredColumn[]): InferredColumn | undefined {
  const inRange = columns.filter(
    ({ time }) => time !== undefined && time.minMs >= earliestMs && time.maxMs < latestMs,
  );
  const complete = inRange.filter(({ isNullable }) => !isNullable);
  return (
    complete.find(({ time }) => time?.format.granularity !== 'DAYS|1') ?? complete[0] ?? inRange[0]
  );
}

function explainTime(time: InferredColumn | undefined): string {
  if (time === undefined) {
    return 'There is no time column: no column has times between 1971 and 2071 only.';
  }
  const nulls = time.isNullable ? ', although some rows have none' : ', and every row has one';
  return `${time.name} is the time column: its values are times between 1971 and 2071${nulls}.`;
}

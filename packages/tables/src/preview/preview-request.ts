import type { Static } from 'typebox';
import { TableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import { completeModel, readModel } from '../model/read-model.ts';
import {
  flag,
  flagOrNone,
  freeForm,
  integer,
  list,
  model,
  optionalSection,
  section,
  text,
  texts,
} from '../model/member.ts';
import { isRecord } from '../model/document.ts';
import { TableSchema } from '../config/table-schema.ts';

/** A config or a schema, and its location in the request. */
export interface Given<Value> {
  readonly value: Value;
  /** JSON pointer into the request. */
  readonly path: string;
}

/** A request for a preview. */
export interface PreviewRequest {
  /** The request without its rows, which are read one by one because there are many. */
  readonly preview: PreviewObject;
  readonly sourceRows: readonly unknown[];
  readonly config: Given<TableConfig> | undefined;
  readonly schema: Given<TableSchema> | undefined;
  /** The other half of a table that is filled from files and from a stream. */
  readonly otherConfig: Given<TableConfig> | undefined;
  readonly findings: readonly Finding[];
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/**
 * Reads the body of a preview; never throws. A config and a schema at the top level take precedence
 * over those in `tableConfigs`; of the two halves of a table, the one that is filled from files is
 * previewed.
 */
export function readPreviewRequest(body: unknown): PreviewRequest {
  const { sourceRows, rows, summary: _summary, ...rest } = isRecord(body) ? body : {};
  const { preview, findings, unrecognizedProperties } = parsePreviewObject(rest);
  const { tableConfig, schema, tableConfigs } = preview;
  const configs = [
    given(tableConfig, '/tableConfig'),
    given(tableConfigs?.offline, '/tableConfigs/offline'),
    given(tableConfigs?.realtime, '/tableConfigs/realtime'),
  ].filter((config) => config !== undefined);
  const problem: Finding = {
    path: '/sourceRows',
    code: 'WRONG_TYPE',
    severity: 'error',
    message: 'Expected a list of rows.',
  };
  const isList = Array.isArray(sourceRows);
  const other =
    tableConfigs?.realtime === undefined
      ? undefined
      : given(tableConfigs.realtime, '/tableConfigs/realtime');
  return {
    preview,
    sourceRows: isList ? (sourceRows as readonly unknown[]) : [],
    config: configs[0],
    schema: given(schema, '/schema') ?? given(tableConfigs?.schema, '/tableConfigs/schema'),
    otherConfig: configs[0]?.path === '/tableConfigs/offline' ? other : undefined,
    findings: [
      ...findings,
      ...(isList || sourceRows === undefined || sourceRows === null ? [] : [problem]),
      ...(isOfAnswer(rows) ? [] : [rowsIgnored]),
      ...samplingFindings(preview.config?.sampling),
    ],
    unrecognizedProperties,
  };
}

/**
 * Reports whether there are no rows, or the rows are those of a response that was sent back as a
 * request, which name their source rows.
 */
function isOfAnswer(rows: unknown): boolean {
  if (rows === undefined || rows === null) return true;
  return (
    Array.isArray(rows) &&
    rows.every((row: unknown) => isRecord(row) && row['sourceIndex'] !== undefined)
  );
}

const rowsIgnored: Finding = {
  path: '/rows',
  code: 'ROWS_IGNORED',
  severity: 'info',
  message:
    'The rows of a request are ignored, because they are part of a response. Send the rows to preview as sourceRows.',
};

/** Returns findings about sampling limits with little effect. */
function samplingFindings(
  sampling: { readonly min?: number; readonly max?: number } | undefined,
): readonly Finding[] {
  const { min, max } = sampling ?? {};
  const report = (member: 'min' | 'max', message: string): Finding => {
    return {
      path: `/config/sampling/${member}`,
      code: 'SAMPLING_LIMIT',
      severity: 'warning',
      message,
    };
  };
  const findings: Finding[] = [];
  if (max !== undefined && max < 1) {
    findings.push(report('max', `${max} is not a count of rows to sample: no row is sampled.`));
  }
  if (min !== undefined && min < 0) {
    findings.push(report('min', `${min} is not a count of rows, so any number of rows is enough.`));
  } else if (min !== undefined && max !== undefined && min > max) {
    findings.push(
      report(
        'min',
        `${min} rows are required at least, and ${max} at most: ${Math.max(0, max)} are sampled at most.`,
      ),
    );
  }
  return findings;
}

function given<Value>(value: Value | undefined, path: string): Given<Value> | undefined {
  return value === undefined ? undefined : { value, path };
}

/** A row of a preview. */
const PreviewRow = model(
  {
    nullValueFields: texts('Columns without a value, which have their default.'),
    fieldToValueMap: freeForm('Values by column.'),
  },
  'A row.',
);

/**
 * Defines a part of a preview that contains a whole config or schema; a missing one is null in a
 * completed preview.
 */
const offered = <Members extends Parameters<typeof optionalSection>[0]>(
  members: Members,
  description: string,
) => optionalSection(members, description);

/**
 * The request and the response of a preview (SPECIFICATION.md section 2.3), and the counts that the
 * response adds.
 */
export const PreviewObject = model(
  {
    tableConfig: offered(TableConfig.properties, 'The config; proposed if the request had none.'),
    schema: offered(TableSchema.properties, 'The schema; inferred if the request had none.'),
    tableConfigs: optionalSection(
      {
        tableName: text('Name of the table.'),
        schema: offered(TableSchema.properties, 'Its schema.'),
        offline: offered(TableConfig.properties, 'Its offline config.'),
        realtime: offered(TableConfig.properties, 'Its real-time config.'),
      },
      'Schema and configs of a table together.',
    ),
    sourceRows: list(PreviewRow, 'Source rows.'),
    rows: list(PreviewRow, 'Rows as the table would store them.'),
    sourceFiles: texts('Files to sample: paths, patterns and URIs.'),
    config: section(
      {
        sampling: section(
          {
            min: integer('Minimum number of rows to sample.', 1),
            max: integer('Maximum number of rows to sample.', 100),
          },
          'The number of rows to sample.',
        ),
        inference: section(
          {
            schemaInferenceEnabled: flagOrNone(
              'Whether a schema is inferred. Default: if the request has none.',
            ),
          },
          'The inference of parts.',
        ),
        previewFiles: section(
          {
            previewFilesOnly: flag('Whether matching files are listed and not read.'),
            nfilesToFetch: integer('Maximum number of files to read from.', 10),
          },
          'The sampling of files.',
        ),
      },
      'The options of the preview.',
    ),
    summary: section(
      {
        getnSourceRows: integer('Number of sampled rows.', 0),
        getnSourceColumns: integer('Number of columns of the sampled rows.', 0),
        getnRows: integer('Number of these rows that the table would store.', 0),
        getnColumns: integer('Number of columns of the stored rows.', 0),
        getnFilteredRows: integer('Rows that the filter dropped. Not in the specification.', 0),
        getnIncompleteRows: integer(
          'Rows with a value that became null because it could not be converted. Not in the specification.',
          0,
        ),
        getnSanitizedRows: integer(
          'Rows with a value that was truncated or replaced. Not in the specification.',
          0,
        ),
        getnFailedRows: integer('Rows that could not be ingested. Not in the specification.', 0),
        getnUnnestedRows: integer(
          'Rows beyond one of each sampled row. Not in the specification.',
          0,
        ),
        batch: section({ getnMatchingFiles: integer('Files that match.', 0) }, 'Counts of files.'),
        realtime: section(
          {
            getnPartitions: integer('Partitions of the stream.', 0),
            getnRunnables: integer('Readers of partitions.', 0),
            getnRunnablesWithException: integer('Readers that failed.', 0),
            partitionMetadataFetchTimeMs: integer('Time that it took to list the partitions.', 0),
          },
          'Counts of a stream.',
        ),
      },
      'Counts.',
    ),
  },
  'A preview of a table.',
);

export type PreviewObject = Static<typeof PreviewObject>;
export type PreviewRow = Static<typeof PreviewRow>;

/** A preview object as sent by a caller, parsed by its model. */
export interface ParsedPreviewObject {
  readonly preview: PreviewObject;
  readonly findings: readonly Finding[];
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/**
 * Parses the body of a preview. Never throws, and reports all problems, not only the first one
 * (SPECIFICATION.md section 2.3).
 */
export function parsePreviewObject(value: unknown): ParsedPreviewObject {
  const read = readModel(PreviewObject, value);
  return {
    preview: read.value ?? {},
    findings: read.findings,
    unrecognizedProperties: read.unrecognizedProperties,
  };
}

/** A preview object with every member of the specification's table. */
export type CompletePreviewObject = { readonly [Member in keyof PreviewObject]-?: unknown };

/**
 * Returns the same preview with its full set of members: missing ones are null, empty or their
 * default.
 */
export function completePreviewObject(preview: PreviewObject): CompletePreviewObject {
  return completeModel(PreviewObject, preview) as CompletePreviewObject;
}

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

/** A config or a schema, and where the request has it. */
export interface Given<Value> {
  readonly value: Value;
  /** JSON pointer into the request. */
  readonly path: string;
}

/** What somebody wants previewed. */
export interface PreviewRequest {
  /** All but rows, which are many: they are read one by one. */
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
 * Reads the body of a preview; never throws. Of a config and a schema, the ones at the top go
 * before those in `tableConfigs`; of the two halves of a table, the one that is filled from files
 * is previewed.
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
 * Whether there are no rows, or those of an answer that was sent back as a request: they name the
 * rows that they come from.
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
    'The rows of a request are not read: they are what an answer has. Rows to preview go into sourceRows.',
};

/** Limits of samples that make little sense, with what is done about them. */
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
    findings.push(report('min', `${min} is not a count of rows: none is taken for too few.`));
  } else if (min !== undefined && max !== undefined && min > max) {
    findings.push(
      report(
        'min',
        `${min} rows are wanted at least, and ${max} at most: ${Math.max(0, max)} are sampled at most.`,
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
    nullValueFields: texts('Columns that had no value and hold their default.'),
    fieldToValueMap: freeForm('Values by column.'),
  },
  'A row.',
);

/** Parts of a preview that hold a whole config or schema: left out, they stay out. */
const offered = <Members extends Parameters<typeof optionalSection>[0]>(
  members: Members,
  description: string,
) => optionalSection(members, description);

/**
 * The request and the answer of a preview (SPECIFICATION.md section 2.3), and the counts that the
 * answer adds.
 */
export const PreviewObject = model(
  {
    tableConfig: offered(
      TableConfig.properties,
      'The config; proposed where the request had none.',
    ),
    schema: offered(TableSchema.properties, 'The schema; inferred where the request had none.'),
    tableConfigs: optionalSection(
      {
        tableName: text('Name of the table.'),
        schema: offered(TableSchema.properties, 'Its schema.'),
        offline: offered(TableConfig.properties, 'Config of its offline part.'),
        realtime: offered(TableConfig.properties, 'Config of its real-time part.'),
      },
      'Schema and configs of a table together.',
    ),
    sourceRows: list(PreviewRow, 'Rows as they came.'),
    rows: list(PreviewRow, 'Rows as the table would hold them.'),
    sourceFiles: texts('Files to sample: paths, patterns and URIs.'),
    config: section(
      {
        sampling: section(
          { min: integer('Fewest rows to sample.', 1), max: integer('Most rows to sample.', 100) },
          'How many rows are sampled.',
        ),
        inference: section(
          {
            schemaInferenceEnabled: flagOrNone(
              'Whether a schema is inferred. Left out: where the request has none.',
            ),
          },
          'What is inferred.',
        ),
        previewFiles: section(
          {
            previewFilesOnly: flag('Whether matching files are listed and not read.'),
            nfilesToFetch: integer('Most files to read from.', 10),
          },
          'How files are sampled.',
        ),
      },
      'How the preview is made.',
    ),
    summary: section(
      {
        getnSourceRows: integer('Rows that were sampled.', 0),
        getnSourceColumns: integer('Columns of the sampled rows.', 0),
        getnRows: integer('Rows that the table would hold of them.', 0),
        getnColumns: integer('Columns of those.', 0),
        getnFilteredRows: integer('Rows that the filter dropped. Not in the specification.', 0),
        getnIncompleteRows: integer(
          'Rows with a value that became null because it could not be converted. Not in the specification.',
          0,
        ),
        getnSanitizedRows: integer(
          'Rows with a value that was cut or replaced. Not in the specification.',
          0,
        ),
        getnFailedRows: integer('Rows that could not be taken over. Not in the specification.', 0),
        getnUnnestedRows: integer(
          'Rows beyond one of each sampled row. Not in the specification.',
          0,
        ),
        batch: section({ getnMatchingFiles: integer('Files that match.', 0) }, 'Of files.'),
        realtime: section(
          {
            getnPartitions: integer('Partitions of the stream.', 0),
            getnRunnables: integer('Readers of partitions.', 0),
            getnRunnablesWithException: integer('Readers that failed.', 0),
            partitionMetadataFetchTimeMs: integer(
              'Time that it took to ask for the partitions.',
              0,
            ),
          },
          'Of a stream.',
        ),
      },
      'Counts.',
    ),
  },
  'A preview of a table.',
);

export type PreviewObject = Static<typeof PreviewObject>;
export type PreviewRow = Static<typeof PreviewRow>;

/** A preview object as somebody sent it, read by its model. */
export interface ParsedPreviewObject {
  readonly preview: PreviewObject;
  readonly findings: readonly Finding[];
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/**
 * Reads the body of a preview; never throws, and finds everything that does not fit, not only the
 * first (SPECIFICATION.md section 2.3).
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
 * The same preview with its full set of members: what was left out is null, empty or its default.
 */
export function completePreviewObject(preview: PreviewObject): CompletePreviewObject {
  return completeModel(PreviewObject, preview) as CompletePreviewObject;
}

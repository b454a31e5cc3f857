import { parseDocument } from '../model/document.ts';
import { type PreviewResponse, rowFindings, summarize, writePreview } from './preview-response.ts';
import { type Clock, isQuireError, QuireError, throwIfAborted } from '@quire/core';
import { traced } from '@quire/core/trace';
import { Deadline, TimeSlice } from '@quire/core/wait';
import { completeTableConfig } from '../config/table-config.ts';
import { type Finding, nestFindings, sortFindings } from '../finding.ts';
import { FieldUse } from '../pipeline/field-use.ts';
import { delimiterHint } from '../sources/formats/csv-options.ts';
import { type PipelineResult, runPipeline } from '../pipeline/run-pipeline.ts';
import { completeTableSchema } from '../config/table-schema.ts';
import type { SourceRow } from '../row.ts';
import type { FileFinder } from '../sources/source-file.ts';
import type { ClusterContext } from '../validate/rule.ts';
import { validateTableConfig, validateTableSchema } from '../validate/validate.ts';
import {
  completePreviewObject,
  type PreviewRequest,
  readPreviewRequest,
} from './preview-request.ts';
import { isInferringFor, type PlannedTable, planTable } from './plan-table.ts';
import {
  noSample,
  type PreviewLimits,
  previewLimits,
  type PreviewStream,
  type Sample,
} from './sample.ts';
import { takeSample } from './take-sample.ts';

/** The dependencies and options of a preview. */
export interface PreviewOptions {
  readonly clock: Clock;
  /** Finds files that may be read. If omitted, none may be read. */
  readonly finder?: FileFinder | undefined;
  /** `inputFormat` and `recordReader.prop.…` of the `sourceFiles`, as in the config of a table. */
  readonly batchConfig?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Opens a stream that may be sampled. If omitted, none may be sampled. @throws STREAM_INVALID
   * when it may not be sampled, or cannot work
   */
  readonly openStream?: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  readonly limits?: Partial<PreviewLimits> | undefined;
  /** The cluster that the table is for, as far as it is known. */
  readonly cluster?: Omit<ClusterContext, 'otherConfig'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const noResult: PipelineResult = {
  rows: [],
  dropped: [],
  changes: [],
  counts: { read: 0, unnested: 0, filtered: 0, failed: 0, incomplete: 0, sanitized: 0 },
  findings: [],
};

/**
 * Previews a table: samples rows, infers missing parts of the request, checks config and schema,
 * runs the rows through the ingestion pipeline, and reports changes and findings. Nothing is
 * created (SPECIFICATION.md section 4.3).
 *
 * The response to any request is a preview with findings. Works within the limits, and yields to
 * other work every few milliseconds.
 *
 * @throws INVALID_PARAMETER when `batchConfig` has an unknown format; ABORTED when the signal is
 *   aborted
 */
export async function previewTable(
  request: unknown,
  options: PreviewOptions,
): Promise<PreviewResponse> {
  const { clock, signal } = options;
  const limits = { ...previewLimits, ...options.limits };
  throwIfAborted(signal);
  const { timeMaxMs: timeoutMs } = limits;
  using timer = new Deadline({
    clock,
    timeoutMs,
    signal,
    error: () => new QuireError('QUERY_TIMED_OUT', `${tooLate} of ${timeoutMs} ms.`),
  });
  const parsed = readPreviewRequest(request);
  const late = new LateFinding();
  const sample = await late.guard(noSample, () =>
    traced('preview.sample', () =>
      takeSample(parsed, {
        clock,
        finder: options.finder,
        batchConfig: options.batchConfig,
        openStream: options.openStream,
        limits,
        signal: timer.signal,
      }),
    ),
  );
  const fallback: PlannedTable = {
    config: parsed.config?.value ?? {},
    schema: parsed.schema?.value,
    isInferring: isInferringFor(parsed),
    explanations: [],
  };
  const table = await late.guard(fallback, () =>
    traced('preview.plan', () =>
      planTable(parsed, sample, {
        clock,
        limits,
        signal: timer.signal,
        tableName: tableNameOf(sample.files),
      }),
    ),
  );
  const result = await late.guard(noResult, () =>
    traced('preview.run', () => runRows(sample, table, { clock, limits, signal: timer.signal })),
  );
  throwIfAborted(signal);
  const findings = [
    ...parsed.findings,
    ...sample.findings,
    ...checkTable(parsed, table, result, options.cluster),
    ...rowFindings(result),
    ...fieldFindings(parsed, sample, table, result, clock),
    ...(sample.rows.length > 0 && table.schema === undefined ? [noSchema] : []),
    ...late.findings,
  ];
  const summary = await summarize(sample, result, new TimeSlice(clock, signal));
  return respond(parsed, sample, table, result, { summary, findings: firstFindings(findings) });
}

/**
 * The maximum number of findings of a response: a config can be wrong in every line, and a longer
 * list would not be useful.
 */
const findingsMax = 1_000;

function firstFindings(findings: readonly Finding[]): readonly Finding[] {
  const sorted = sortFindings(findings);
  if (sorted.length <= findingsMax) return sorted;
  const message = `There are ${sorted.length} findings; ${findingsMax} are shown, in the order of their paths.`;
  return [
    ...sorted.slice(0, findingsMax),
    { path: '', code: 'FINDINGS_CUT', severity: 'warning', message },
  ];
}

const noSchema: Finding = {
  path: '/schema',
  code: 'NO_SCHEMA',
  severity: 'error',
  message:
    'There is no schema, and inference is off: rows cannot be shown as the table would store them.',
};

interface RunOptions {
  readonly clock: Clock;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
}

function runRows(
  sample: Sample,
  { config, schema }: PlannedTable,
  { limits, ...options }: RunOptions,
): Promise<PipelineResult> {
  if (schema === undefined || sample.rows.length === 0) return Promise.resolve(noResult);
  return runPipeline(sample.rows, {
    ...options,
    config,
    schema,
    createdBytesMax: limits.rowsBytesMax,
  });
}

/** Returns a finding if the table would refuse a file of these rows. */
function fieldFindings(
  { schema: given }: PreviewRequest,
  { rows, hasTypedText }: Sample,
  { config, schema }: PlannedTable,
  result: PipelineResult,
  clock: Clock,
): readonly Finding[] {
  if (schema === undefined || result.counts.read === 0) return [];
  if (given === undefined) return hasTypedText ? delimiterFindings(rows) : [];
  const fieldUse = new FieldUse({ config, schema, clock });
  fieldUse.add(rows, result.rows);
  const { problem } = fieldUse;
  return problem === undefined
    ? []
    : [{ path: given.path, code: 'NO_FIELD_READ', severity: 'warning', message: problem }];
}

/** Returns a finding if the rows of text have one field, whose name has a delimiter. */
function delimiterFindings(rows: readonly SourceRow[]): readonly Finding[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const hint = delimiterHint([...names]);
  if (hint === undefined) return [];
  const message = `All rows have one field, '${[...names].join('').slice(0, 60)}'. ${hint}`;
  return [{ path: '/sourceFiles', code: 'DELIMITER', severity: 'warning', message }];
}

/**
 * Returns every rule that config and schema break, and findings of the pipeline that no rule
 * covers.
 */
function checkTable(
  { config, schema, otherConfig }: PreviewRequest,
  table: PlannedTable,
  result: PipelineResult,
  cluster: PreviewOptions['cluster'],
): readonly Finding[] {
  const configPath = config?.path ?? '/tableConfig';
  const schemaPath = schema?.path ?? '/schema';
  const bySchema = table.schema === undefined ? [] : validateTableSchema(table.schema);
  const context = {
    ...cluster,
    ...(table.schema !== undefined && { schema: table.schema }),
    ...(otherConfig !== undefined && { otherConfig: otherConfig.value }),
  };
  const checked = [
    ...nestFindings(bySchema, schemaPath),
    ...nestFindings(validateTableConfig(table.config, context), configPath),
    ...checkOther(otherConfig, table, cluster),
  ];
  const others = result.findings.map((finding) => {
    const isOfSchema = /^\/\w*FieldSpecs?(\/|$)/.test(finding.path);
    return { ...finding, path: `${isOfSchema ? schemaPath : configPath}${finding.path}` };
  });
  // A rule reports the fault in terms of the config; the finding of the pipeline would repeat it.
  const isSaid = ({ path }: Finding): boolean =>
    checked.some(
      (each) =>
        each.severity === 'error' && (each.path === path || each.path.startsWith(`${path}/`)),
    );
  return [...checked, ...others.filter((finding) => !isSaid(finding))];
}

/** Returns the rules that the other half of a table breaks. */
function checkOther(
  other: PreviewRequest['otherConfig'],
  { config, schema }: PlannedTable,
  cluster: PreviewOptions['cluster'],
): readonly Finding[] {
  if (other === undefined) return [];
  const context = { ...cluster, ...(schema !== undefined && { schema }), otherConfig: config };
  return nestFindings(validateTableConfig(other.value, context), other.path);
}

function respond(
  { preview, otherConfig, unrecognizedProperties }: PreviewRequest,
  sample: Sample,
  table: PlannedTable,
  result: PipelineResult,
  report: Pick<PreviewResponse, 'summary' | 'findings'>,
): PreviewResponse {
  const tableConfig = completeTableConfig(table.config);
  const schema = table.schema === undefined ? null : completeTableSchema(table.schema);
  const isRealtime = table.config.tableType === 'REALTIME';
  return {
    tableConfig,
    schema,
    tableConfigs: {
      tableName: (table.config.tableName ?? '').replace(/_(OFFLINE|REALTIME)$/, ''),
      schema,
      offline: isRealtime ? null : tableConfig,
      realtime: isRealtime
        ? tableConfig
        : otherConfig === undefined
          ? null
          : completeTableConfig(otherConfig.value),
    },
    sourceRows:
      sample.givenRows ??
      sample.rows.map((fields) => ({ nullValueFields: [], fieldToValueMap: fields })),
    rows: result.rows.map(({ sourceIndex, fields, nullFields, isIncomplete, isSanitized }) => ({
      nullValueFields: nullFields,
      fieldToValueMap: fields,
      sourceIndex,
      incomplete: isIncomplete,
      sanitized: isSanitized,
    })),
    sourceFiles: sample.files,
    config: completePreviewObject({
      ...preview,
      config: { ...preview.config, inference: { schemaInferenceEnabled: table.isInferring } },
    }).config,
    ...report,
    explanations: table.explanations,
    changes: result.changes,
    droppedRows: result.dropped,
    unrecognizedProperties,
  };
}

const tooLate = 'The preview exceeded its timeout';

/** Converts the timeout of a part to a finding. */
class LateFinding {
  readonly findings: Finding[] = [];

  async guard<Value>(fallback: Value, act: () => Promise<Value>): Promise<Value> {
    if (this.findings.length > 0) return fallback;
    try {
      return await act();
    } catch (error) {
      if (!isQuireError(error, 'QUERY_TIMED_OUT')) throw error;
      this.findings.push({
        path: '',
        code: 'TIME_LIMIT',
        severity: 'error',
        message: error.message,
      });
      return fallback;
    }
  }
}

/** Returns a table name for these files: the name of the first one, as far as it is valid. */
function tableNameOf(files: readonly string[]): string {
  const file = files[0]?.split('/').findLast((segment) => segment !== '') ?? '';
  const [stem = ''] = file.split('.');
  const name = stem.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return name === '' ? 'table' : name;
}

/**
 * Previews a table for the JSON body of a request, and writes the response as JSON: see
 * `previewTable` and `writePreview`.
 *
 * @throws INVALID_BODY when the body is not a JSON object, or the response would be too long
 *   without any row; ABORTED
 */
export async function previewText(
  body: string,
  options: PreviewOptions,
): Promise<AsyncGenerator<string, void, undefined>> {
  const { digitsMax, answerBytesMax } = { ...previewLimits, ...options.limits };
  const preview = await previewTable(parseDocument(body, { digitsMax }), options);
  return writePreview(preview, { bytesMax: answerBytesMax });
}

import { printExpression } from '../expressions/index.ts';
import type { Clock } from '@quire/core';
import { TimeSlice } from '@quire/core/wait';
import type { TableConfig } from '../config/table-config.ts';
import { proposeTableConfig } from '../infer/propose-table-config.ts';
import {
  type Explanation,
  type InferredSchema,
  SchemaInference,
} from '../infer/schema-inference.ts';
import { runPipeline } from '../pipeline/run-pipeline.ts';
import type { SourceRow } from '../row.ts';
import type { TableSchema } from '../config/table-schema.ts';
import { columnsOf } from '../validate/rule.ts';
import type { PreviewLimits, Sample } from './sample.ts';
import type { PreviewRequest } from './preview-request.ts';

/** The config and the schema for the preview of rows. */
export interface PlannedTable {
  readonly config: TableConfig;
  /** Undefined if the request has none, and inference is off. */
  readonly schema: TableSchema | undefined;
  /** True if a schema is inferred when there are rows. */
  readonly isInferring: boolean;
  /** The reason for each inferred or proposed part; paths point into the response. */
  readonly explanations: readonly Explanation[];
}

export interface PlanOptions {
  readonly clock: Clock;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
  /** The name of the table if the request has none. */
  readonly tableName: string;
}

/**
 * Infers the schema if the request has none or asks for it to be completed, and adds to the config
 * what such a schema needs. Given parts are unchanged.
 */
export async function planTable(
  request: PreviewRequest,
  sample: Sample,
  options: PlanOptions,
): Promise<PlannedTable> {
  const { preview, config, schema } = request;
  const tableName =
    config?.value.tableName ??
    preview.tableConfigs?.tableName ??
    schema?.value.schemaName ??
    options.tableName;
  const isInferring = isInferringFor(request);
  if (!isInferring || sample.rows.length === 0) {
    const named = { ...config?.value, tableName };
    const same = config?.value.tableName === undefined ? named : config.value;
    return { config: same, schema: schema?.value, isInferring, explanations: [] };
  }
  const inferred = await inferFromSample(sample, config?.value, { ...options, tableName });
  const proposal = proposeTableConfig(inferred, tableName);
  const merged = schema === undefined ? inferred.schema : addColumns(schema.value, inferred.schema);
  return {
    config: config === undefined ? proposal.config : addProposals(config.value, proposal.config),
    schema: merged,
    isInferring,
    explanations: [
      ...(schema === undefined ? atPointer(inferred.explanations, '/schema') : []),
      ...(config === undefined ? atPointer(proposal.explanations, '/tableConfig') : []),
    ],
  };
}

/** Reports whether the schema is inferred or completed; by default, if there is none. */
export function isInferringFor({ preview, schema }: PreviewRequest): boolean {
  return preview.config?.inference?.schemaInferenceEnabled ?? schema === undefined;
}

/**
 * Infers the schema from rows as processed by the config: after nested values are flattened and
 * transforms have run.
 */
async function inferFromSample(
  sample: Sample,
  config: TableConfig | undefined,
  { clock, limits, signal, tableName }: PlanOptions,
): Promise<InferredSchema> {
  const {
    complexTypeConfig,
    enrichmentConfigs = [],
    transformConfigs = [],
  } = config?.ingestionConfig ?? {};
  let rows: readonly SourceRow[] = sample.rows;
  if (
    complexTypeConfig !== undefined ||
    enrichmentConfigs.length > 0 ||
    transformConfigs.length > 0
  ) {
    const ingestionConfig = {
      complexTypeConfig,
      enrichmentConfigs,
      transformConfigs,
      continueOnError: true,
    };
    const options = { clock, signal, createdBytesMax: limits.rowsBytesMax };
    const made = await runPipeline(rows, { ...options, config: { ingestionConfig }, schema: {} });
    const isRenamed = renamedFields(transformConfigs);
    rows = made.rows.map(({ fields }) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => !isRenamed(name))),
    );
  }
  const delimiter = complexTypeConfig?.delimiter ?? '.';
  const schemaName = tableName.replace(/_(OFFLINE|REALTIME)$/, '');
  const inference = new SchemaInference({
    schemaName,
    delimiter,
    readsText: sample.hasTypedText,
    decimals: sample.decimals,
  });
  const slice = new TimeSlice(clock, signal);
  for (const row of rows) {
    inference.add(row);
    if (slice.isDue) await slice.yield();
  }
  return inference.finish();
}

/**
 * Returns a test for fields that cannot be columns by their names and are renamed by a transform,
 * as in a response that is sent back as a request.
 */
function renamedFields(
  transforms: readonly { readonly transformFunction?: string }[],
): (name: string) => boolean {
  const given = new Set(transforms.map(({ transformFunction }) => transformFunction));
  return (name) => /\s|^\$/.test(name) && given.has(printExpression({ kind: 'column', name }));
}

/** Returns the given schema with the columns that only the rows have. */
function addColumns(given: TableSchema, inferred: TableSchema): TableSchema {
  const lists = ['dimensionFieldSpecs', 'metricFieldSpecs', 'dateTimeFieldSpecs'] as const;
  const known = new Set(columnsOf(given).map(({ name }) => name));
  const added = Object.fromEntries(
    lists.map((list) => [
      list,
      [
        ...(given[list] ?? []),
        ...(inferred[list] ?? []).filter(({ name = '' }) => !known.has(name)),
      ],
    ]),
  );
  return { ...given, ...added };
}

/** Returns the given config with the parts that an inferred schema needs and the config lacks. */
function addProposals(given: TableConfig, proposed: TableConfig): TableConfig {
  const { segmentsConfig, ingestionConfig } = proposed;
  const transforms = given.ingestionConfig?.transformConfigs ?? [];
  const renames = (ingestionConfig?.transformConfigs ?? []).filter(
    ({ columnName }) => !transforms.some((transform) => transform.columnName === columnName),
  );
  return {
    ...given,
    tableName: given.tableName ?? proposed.tableName ?? '',
    segmentsConfig: { ...segmentsConfig, ...given.segmentsConfig },
    ingestionConfig: {
      ...ingestionConfig,
      ...given.ingestionConfig,
      transformConfigs: [...transforms, ...renames],
    },
  };
}

function atPointer(explanations: readonly Explanation[], pointer: string): readonly Explanation[] {
  return explanations.map(({ path, message }) => ({ path: `${pointer}${path}`, message }));
}

import type { Clock } from '@quire/core';
import { columnsOf, parseExpression } from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import {
  type ColumnSpec,
  columnsOfSchema,
  type PipelineConfig,
  type PipelineSchema,
} from './column-spec.ts';
import type { StepName } from './journal.ts';
import { readTransforms } from './read-transforms.ts';
import type { FlatRows } from './row-maker.ts';
import type { SizeBudget } from './working-row.ts';
import { noStep, type PlannedStep, type Step } from './step.ts';
import {
  planDataTypes,
  planProjection,
  planSanitizing,
  planSpecialValues,
} from './steps/schema-columns.ts';
import { planEnrichment } from './steps/enrichment.ts';
import { planFilter, planTransforms } from './steps/expression-steps.ts';
import { planFlatten, planRenamePrefixes, planUnnest } from './steps/complex-type.ts';
import { planNullDefaults, planTimeCheck } from './steps/time-and-null.ts';
import { planSchemaConforming } from './steps/schema-conforming.ts';

/** The input of a pipeline's plan. */
export interface PipelineOptions {
  readonly config: PipelineConfig;
  readonly schema: PipelineSchema;
  readonly clock: Clock;
  /** Limits what expressions create. Without it there is no limit. */
  readonly budget?: SizeBudget | undefined;
}

/** Columns that keep their plain values. */
export interface PlainColumns {
  readonly columns: readonly ColumnSpec[];
  /** The column of the table's time, whose default may be the current time. */
  readonly timeColumn: ColumnSpec | undefined;
}

/** The steps of a pipeline in order, and all findings about its config. */
export interface PipelinePlan {
  readonly steps: readonly Step[];
  /**
   * The columns that all rows have; undefined if the content of rows determines which fields are
   * added and removed.
   */
  readonly flat: FlatRows | undefined;
  /**
   * The columns whose plain values are stored as they are, because no step reads or changes them;
   * undefined if some step may do more to rows than convert each value.
   */
  readonly plain: PlainColumns | undefined;
  /**
   * The fields of source rows that have an effect; undefined if the content of rows determines
   * them.
   */
  readonly reads: ReadonlySet<string> | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Plans the steps of the pipeline: enrichment, nested values, enrichment again, transforms, filter,
 * schema, types, times, special values, defaults, lengths. Never throws: a step that cannot be
 * planned is a finding, and the plan continues without it.
 */
export function planPipeline({ clock, budget, ...given }: PipelineOptions): PipelinePlan {
  const config = withoutNulls(given.config);
  const schema = withoutNulls(given.schema);
  const ingestion = config.ingestionConfig ?? {};
  const policy = ingestion.continueOnError === true ? 'continue' : 'fail';
  const context = { clock, budget };
  const { columns, findings } = columnsOfSchema(schema);
  const timeName = config.segmentsConfig?.timeColumnName;
  const timeColumn = columns.find(({ name }) => name === timeName);
  const { complexTypeConfig, enrichmentConfigs = [], transformConfigs = [] } = ingestion;
  const read = readTransforms(transformConfigs, columns);
  const later = planEnrichment(enrichmentConfigs, false, context);
  const filterFunction = ingestion.filterConfig?.filterFunction;
  const readLater = new Set([
    ...columns.map(({ name }) => name),
    ...read.transforms.flatMap(({ column, expression }) => [column, ...columnsOf(expression)]),
    ...later.reads,
    ...columnsOfFilter(filterFunction),
  ]);
  const planned: readonly PlannedStep[] = [
    planEnrichment(enrichmentConfigs, true, context),
    alone(planFlatten(complexTypeConfig, policy)),
    alone(planUnnest(complexTypeConfig, readLater)),
    alone(planRenamePrefixes(complexTypeConfig, policy)),
    later,
    { step: planTransforms(read.transforms, columns, context, policy), findings: read.findings },
    planFilter(filterFunction, context, policy),
    planSchemaConforming(ingestion.schemaConformingTransformerConfig, columns, policy),
    alone(planDataTypes(columns, policy)),
    planTimeCheck(ingestion.rowTimeValueCheck === true, timeColumn, policy, clock),
    alone(planSpecialValues(columns)),
    alone(planNullDefaults(columns, timeColumn, clock)),
    alone(planSanitizing(columns)),
    alone(planProjection(columns, complexTypeConfig !== undefined)),
  ];
  const names = columns.map(({ name }) => name);
  const isFlat =
    complexTypeConfig === undefined &&
    enrichmentConfigs.length === 0 &&
    ingestion.schemaConformingTransformerConfig === undefined &&
    new Set(names).size === names.length &&
    [...readLater].every((name) => !(name in Object.prototype));
  const steps = planned.flatMap(({ step }) => step ?? []);
  const isPlain = isFlat && names.length > 0 && steps.every(({ name }) => keepsPlain.has(name));
  return {
    flat: isFlat
      ? { columns, made: [...read.transforms.map(({ column }) => column), ...names] }
      : undefined,
    plain: isPlain ? { columns, timeColumn } : undefined,
    reads: isFlat ? readLater : undefined,
    steps,
    findings: [...findings, ...planned.flatMap((each) => each.findings)],
  };
}

/** The steps that process each column on its own, and keep plain values. */
const keepsPlain: ReadonlySet<StepName> = new Set([
  'dataType',
  'specialValue',
  'nullDefault',
  'sanitize',
  'projection',
]);

/** Returns all findings about the config of a pipeline. */
export function checkPipeline(options: PipelineOptions): readonly Finding[] {
  return planPipeline(options).findings;
}

function columnsOfFilter(text: string | undefined): readonly string[] {
  const { expression } = text === undefined ? {} : parseExpression(text);
  return expression === undefined ? [] : columnsOf(expression);
}

/** Wraps a step that cannot have findings. */
function alone(step: Step | undefined): PlannedStep {
  return step === undefined ? noStep : { step, findings: [] };
}

/**
 * Returns a copy of a config without null members at any depth, and without sections that contain
 * only nulls: complete configs have null for missing members. An empty section is kept, because its
 * presence has an effect.
 */
function withoutNulls<T extends object>(config: T): T {
  // The type is unchanged: every member of a config is optional.
  return (strip(config) ?? {}) as T;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip).filter((element) => element !== undefined);
  if (value === null) return undefined;
  if (typeof value !== 'object' || value instanceof Uint8Array) return value;
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = given.map(([name, member]: [string, unknown]) => [name, strip(member)] as const);
  const said = members.filter(([, member]) => member !== undefined);
  return said.length === 0 && members.length > 0 ? undefined : Object.fromEntries(said);
}

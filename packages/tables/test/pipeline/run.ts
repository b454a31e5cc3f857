import { ManualClock } from '@quire/core/testing';
import type {
  FieldSpecPart,
  IngestionConfigPart,
  PipelineConfig,
} from '../../src/pipeline/column-spec.ts';
import { type PipelineResult, runPipeline } from '../../src/pipeline/run-pipeline.ts';
import type { SourceRow } from '../../src/row.ts';

export const now = Date.UTC(2026, 0, 1);

/** Creates a dimension column of a type. */
export function column(name: string, dataType = 'STRING', more: FieldSpecPart = {}): FieldSpecPart {
  return { name, dataType, ...more };
}

interface Given {
  readonly ingestion?: IngestionConfigPart;
  readonly dimensions?: readonly FieldSpecPart[];
  readonly metrics?: readonly FieldSpecPart[];
  readonly times?: readonly FieldSpecPart[];
  readonly timeColumnName?: string;
}

/** Runs rows through a pipeline. */
export function run(rows: readonly SourceRow[], given: Given = {}): Promise<PipelineResult> {
  const config: PipelineConfig = {
    ingestionConfig: given.ingestion,
    segmentsConfig: { timeColumnName: given.timeColumnName },
  };
  const schema = {
    dimensionFieldSpecs: given.dimensions,
    metricFieldSpecs: given.metrics,
    dateTimeFieldSpecs: given.times,
  };
  return runPipeline(rows, { config, schema, clock: new ManualClock({ nowMs: now }) });
}

/** Returns the fields of the resulting rows. */
export async function fieldsOf(
  rows: readonly SourceRow[],
  given: Given = {},
): Promise<readonly SourceRow[]> {
  const result = await run(rows, given);
  return result.rows.map(({ fields }) => fields);
}

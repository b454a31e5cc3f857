export { type CompleteTableConfig, type ParsedTableConfig, parseTableConfig } from './config/parse-table-config.ts';
export { TableConfig } from './config/table-config.ts';
export { type Finding, nestFindings, sortFindings } from './finding.ts';
export { PreviewObject, type PreviewRow } from './preview/preview-object.ts';
export type { SourceRow, SourceValue } from './row.ts';
export { type DataType, type DateTimeFieldSpec, type FieldSpec, TableSchema } from './schema/table-schema.ts';
export { type CompleteTableSchema, type ParsedTableSchema, parseTableSchema } from './schema/parse-table-schema.ts';
export type { Change, ChangeExample, ChangeKind, StepJournal, NotedExample } from './pipeline/journal.ts';
export type {
  PipelineConfig,
  PipelineSchema,
  FieldSpecPart,
  IngestionConfigPart,
  TimeFieldSpecPart,
  ComplexTypePart,
  EnrichmentPart,
  GranularityPart,
  SchemaConformingPart,
  TransformPart,
} from './pipeline/pipeline-input.ts';
export { type PipelineOptions, type PipelinePlan, planPipeline } from './pipeline/plan-pipeline.ts';
export {
  type DroppedRow,
  type PipelineCounts,
  type PipelineResult,
  type PipelineRow,
  type RunOptions,
  runPipeline,
} from './pipeline/run-pipeline.ts';
export { type StepName, stepNames, type Step } from './pipeline/step.ts';
export { type TableContext, validateTableConfig, validateTableSchema } from './validate/validate.ts';
export type { ClusterContext } from './validate/rule.ts';
export type { PreviewLimits } from './preview/preview-limits.ts';
export type { PreviewedRow, PreviewResponse, PreviewSummary, SampledRow } from './preview/preview-response.ts';
export { type PreviewOptions, previewTable, previewText } from './preview/preview-table.ts';
export type { PreviewStream } from './preview/sample-streams.ts';
export type { FileFinder, FileRange, FoundFiles, SourceFile } from './sources/source-file.ts';
export {
  checkTableConfig,
  checkTableConfigs,
  checkTableSchema,
  type CheckedSchemaDocument,
  type CheckedTableDocument,
  type CheckedTablesDocument,
  type Cluster,
  type Verdict,
} from './check/check-tables.ts';
export { parseDocument } from './preview/parse-document.ts';
export { writePreview } from './preview/write-preview.ts';
export { type AllowedBucket, type AllowedSources, createFileFinder } from './sources/file-finder.ts';
export { type ColumnSpec, columnsOfSchema, type ExceedStrategy } from './pipeline/column-spec.ts';
export { type DateTimeFormat, writeInFormat } from '@quire/expressions';
export { instantOfTime, timeFormatOf } from './pipeline/steps/time-check.ts';
export { type FileRowsOptions, openFileRows } from './sources/open-file-rows.ts';
export type { ColumnType } from './pipeline/column-type.ts';
export type { SizeBudget } from './pipeline/size-budget.ts';
export type { TimeFormat } from './infer/time-evidence.ts';
export type { WorkingRow, RowFailure } from './pipeline/working-row.ts';
export type { InferredColumn } from './infer/decide-column.ts';
export { type ProposedTableConfig, proposeTableConfig } from './infer/propose-table-config.ts';
export { type Explanation, type InferenceOptions, type InferredSchema, inferSchema } from './infer/schema-inference.ts';

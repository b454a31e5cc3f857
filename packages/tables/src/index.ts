export {
  type CompleteTableConfig,
  type ParsedTableConfig,
  parseTableConfig,
  TableConfig,
} from './config/table-config.ts';
export { type Finding, nestFindings, sortFindings } from './finding.ts';
export { PreviewObject, type PreviewRow } from './preview/preview-request.ts';
export type { SourceRow, SourceValue } from './row.ts';
export {
  type CompleteTableSchema,
  type DataType,
  type DateTimeFieldSpec,
  type FieldSpec,
  type ParsedTableSchema,
  parseTableSchema,
  TableSchema,
} from './config/table-schema.ts';
export {
  type Change,
  type ChangeExample,
  type ChangeKind,
  type StepName,
  stepNames,
} from './pipeline/journal.ts';
export {
  columnsOfSchema,
  type ColumnSpec,
  type ComplexTypePart,
  type EnrichmentPart,
  type ExceedStrategy,
  type FieldSpecPart,
  type GranularityPart,
  type IngestionConfigPart,
  type PipelineConfig,
  type PipelineSchema,
  type SchemaConformingPart,
  type TimeFieldSpecPart,
  type TransformPart,
} from './pipeline/column-spec.ts';
export { FieldUse } from './pipeline/field-use.ts';
export { checkPipeline, type PipelineOptions } from './pipeline/plan-pipeline.ts';
export { plainKinds, type PlainRowReader } from './pipeline/plain-row-reader.ts';
export {
  type DroppedRow,
  openPipeline,
  type OpenPipeline,
  type PipelineCounts,
  type PipelineResult,
  type PipelineRow,
  type RunOptions,
  runPipeline,
  type TakenRow,
} from './pipeline/run-pipeline.ts';
export {
  type CheckedSchemaDocument,
  type CheckedTableDocument,
  type CheckedTablesDocument,
  checkTableConfig,
  checkTableConfigs,
  checkTableSchema,
  type Cluster,
  type TableContext,
  validateTableConfig,
  validateTableSchema,
  type Verdict,
} from './validate/validate.ts';
export {
  assertNoErrors,
  type DocumentContext,
  findingsOfSchema,
  findingsOfTable,
} from './validate/check-documents.ts';
export type { ClusterContext } from './validate/rule.ts';
export { assertBatchMembers } from './sources/batch-config.ts';
export { csvPropertyOf } from './sources/formats/csv-options.ts';
export type { PreviewLimits, PreviewStream } from './preview/sample.ts';
export {
  type PreviewedRow,
  type PreviewResponse,
  type PreviewSummary,
  type SampledRow,
  writePreview,
} from './preview/preview-response.ts';
export { type PreviewOptions, previewTable, previewText } from './preview/preview-table.ts';
export type { FileFinder, FileRange, FoundFiles, SourceFile } from './sources/source-file.ts';
export { parseDocument } from './model/document.ts';
export type { ModelVerdict } from './model/read-model.ts';
export {
  type AllowedBucket,
  type AllowedSources,
  createFileFinder,
  createUploadFinder,
} from './sources/file-finder.ts';
export { type DateTimeFormat, writeInFormat } from './expressions/index.ts';
export { instantOfTime, timeFormatOf } from './pipeline/steps/time-and-null.ts';
export { type FileRowsOptions, openFileRows } from './sources/formats/read-rows.ts';
export type { ColumnType } from './pipeline/column-type.ts';
export type { SizeBudget } from './pipeline/working-row.ts';
export type { TimeFormat } from './infer/evidence.ts';
export type { InferredColumn } from './infer/decide-column.ts';
export { type ProposedTableConfig, proposeTableConfig } from './infer/propose-table-config.ts';
export {
  type Explanation,
  type InferenceOptions,
  type InferredSchema,
  inferSchema,
} from './infer/schema-inference.ts';

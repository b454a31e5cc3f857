import type { TableConfig } from '../config/table-config.ts';
import type { DataType, DateTimeFieldSpec, FieldSpec, TableSchema } from '../config/table-schema.ts';
import { type Finding, pointerTo } from '../finding.ts';

/** What a rule is about; the headings of VALIDATION.md. */
export type Subject =
  | 'names'
  | 'schema'
  | 'time column'
  | 'segments'
  | 'ingestion'
  | 'expressions'
  | 'indexes'
  | 'upsert'
  | 'dedup'
  | 'assignment'
  | 'routing'
  | 'tuning'
  | 'tiers'
  | 'tasks'
  | 'tenants'
  | 'streams'
  | 'quota';

/** Where a rule is broken, and how. */
export interface Fault {
  /** JSON pointer into the document that is checked. */
  readonly path: string;
  readonly message: string;
}

/** One rule: a pure function that finds every place where it is broken. */
export interface Rule<Checked> {
  readonly code: string;
  readonly severity: Finding['severity'];
  readonly subject: Subject;
  /** What must hold, in a sentence: its line in VALIDATION.md. */
  readonly description: string;
  readonly check: (checked: Checked) => Iterable<Fault>;
}

/** A rule about a schema by itself. */
export type SchemaRule = Rule<CheckedSchema>;

/** A rule about a table config, with its schema where there is one. */
export type TableRule = Rule<CheckedTable>;

export interface CheckedSchema {
  readonly schema: TableSchema;
  readonly columns: readonly Column[];
}

export interface CheckedTable {
  readonly config: TableConfig;
  /** Undefined when the schema is not known: rules that need it then hold. */
  readonly schema: CheckedSchema | undefined;
  readonly cluster: ClusterContext;
}

/** What is known of the place where the table is to live; rules about what is not known hold. */
export interface ClusterContext {
  /** The other half of a table that is both: real-time for an offline config, offline for a real-time one. */
  readonly otherConfig?: TableConfig;
  readonly brokerTenants?: readonly string[];
  readonly serverTenants?: readonly string[];
  readonly taskTypes?: readonly string[];
  /** Fewest copies of a segment that are allowed. */
  readonly replicationMin?: number;
}

/** A column of a schema as rules look at it. */
export interface Column {
  readonly kind: 'dimension' | 'metric' | 'dateTime' | 'complex' | 'time';
  /** Empty when it is missing. */
  readonly name: string;
  readonly dataType: DataType | undefined;
  readonly isMultiValue: boolean;
  readonly spec: FieldSpec & DateTimeFieldSpec;
  /** JSON pointer into the schema. */
  readonly path: string;
}

const lists = [
  ['dimensionFieldSpecs', 'dimension'],
  ['metricFieldSpecs', 'metric'],
  ['dateTimeFieldSpecs', 'dateTime'],
  ['complexFieldSpecs', 'complex'],
] as const;

/** The columns of a schema, in its order. */
export function columnsOf(schema: TableSchema): readonly Column[] {
  const listed = lists.flatMap(([list, kind]) =>
    (schema[list] ?? []).map((spec, index) => columnOf(kind, spec, pointerTo('', list, index))),
  );
  const { timeFieldSpec } = schema;
  if (timeFieldSpec === undefined) return listed;
  // The column of an old schema is that of its outgoing granularity, else of its incoming one.
  const { incomingGranularitySpec, outgoingGranularitySpec } = timeFieldSpec;
  return [
    ...listed,
    columnOf('time', { ...timeFieldSpec, ...(outgoingGranularitySpec ?? incomingGranularitySpec) }, '/timeFieldSpec'),
  ];
}

function columnOf(kind: Column['kind'], spec: FieldSpec, path: string): Column {
  return { kind, name: spec.name ?? '', dataType: spec.dataType, isMultiValue: spec.singleValueField === false, spec, path };
}

const numericTypes: readonly (DataType | undefined)[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];

export function isNumeric(column: Column): boolean {
  return numericTypes.includes(column.dataType);
}

/** Names that stand in a list more than once, with the places after the first. */
export function* repeated(names: readonly string[]): Generator<readonly [name: string, index: number]> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name !== '' && seen.has(name)) yield [name, index];
    seen.add(name);
  }
}

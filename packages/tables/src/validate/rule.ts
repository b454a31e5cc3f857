import type { TableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import type { TableSchema } from '../schema/table-schema.ts';
import type { Column } from './columns.ts';

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

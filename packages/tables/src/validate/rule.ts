import type { TableConfig } from '../config/table-config.ts';
import type {
  DataType,
  DateTimeFieldSpec,
  FieldSpec,
  TableSchema,
} from '../config/table-schema.ts';
import { pointerTo } from '../finding.ts';

/** The subject of a rule; the headings of VALIDATION.md. */
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

/** The location of a violation, as a JSON pointer into the checked document, and its message. */
export type Fault = readonly [path: string, message: string];

/** One rule: a pure function that finds every violation. */
export interface Rule<Checked> {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly subject: Subject;
  /** The requirement as a sentence: its line in VALIDATION.md. */
  readonly description: string;
  readonly check: Check<Checked>;
}

export type Check<Checked> = (checked: Checked) => Iterable<Fault>;

type MakeRule<Checked> = (
  code: string,
  description: string,
  check: Check<Checked>,
) => Rule<Checked>;

/**
 * Returns factories of rules about a subject. Documents for which `applies` returns false satisfy
 * the rules.
 */
export function rulesAbout<Checked = CheckedTable>(
  subject: Subject,
  applies: (checked: Checked) => boolean = () => true,
): Readonly<Record<Rule<Checked>['severity'], MakeRule<Checked>>> {
  const makerOf =
    (severity: Rule<Checked>['severity']): MakeRule<Checked> =>
    (code, description, check) => {
      return {
        code,
        severity,
        subject,
        description,
        check: (checked) => (applies(checked) ? check(checked) : []),
      };
    };
  return { error: makerOf('error'), warning: makerOf('warning') };
}

/** A rule about a schema alone. */
export type SchemaRule = Rule<CheckedSchema>;

/** A rule about a table config, with its schema if there is one. */
export type TableRule = Rule<CheckedTable>;

export interface CheckedSchema {
  readonly schema: TableSchema;
  readonly columns: readonly Column[];
}

export interface CheckedTable {
  readonly config: TableConfig;
  /** Undefined if the schema is unknown: rules that need it are then satisfied. */
  readonly schema: CheckedSchema | undefined;
  readonly cluster: ClusterContext;
}

/**
 * The cluster that the table is for, as far as it is known; rules about unknown parts are
 * satisfied.
 */
export interface ClusterContext {
  /**
   * The other half of a hybrid table: real-time for an offline config, offline for a real-time one.
   */
  readonly otherConfig?: TableConfig;
  readonly brokerTenants?: readonly string[];
  readonly serverTenants?: readonly string[];
  readonly taskTypes?: readonly string[];
  /** The minimum number of copies of a segment. */
  readonly replicationMin?: number;
}

/** A column of a schema in the form that rules use. */
export interface Column {
  readonly kind: 'dimension' | 'metric' | 'dateTime' | 'complex' | 'time';
  /** Empty if it is missing. */
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

/** Returns the columns of a schema, in order. */
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
    columnOf(
      'time',
      { ...timeFieldSpec, ...(outgoingGranularitySpec ?? incomingGranularitySpec) },
      '/timeFieldSpec',
    ),
  ];
}

function columnOf(kind: Column['kind'], spec: FieldSpec, path: string): Column {
  return {
    kind,
    name: spec.name ?? '',
    dataType: spec.dataType,
    isMultiValue: spec.singleValueField === false,
    spec,
    path,
  };
}

const numericTypes: readonly (DataType | undefined)[] = [
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIG_DECIMAL',
];

export function isNumeric(column: Column): boolean {
  return numericTypes.includes(column.dataType);
}

export function columnNamed(name: string, schema: CheckedTable['schema']): Column | undefined {
  return schema?.columns.find((column) => column.name === name);
}

/** Returns the elements of a list with their paths; empty without a list. */
export function placed<Element>(
  path: string,
  list: readonly Element[] = [],
): readonly (readonly [string, Element])[] {
  return list.map((element, index) => [`${path}/${index}`, element]);
}

/** Returns the members of an object with their paths and names; empty without an object. */
export function placedMembers<Member>(
  path: string,
  members: Readonly<Record<string, Member>> = {},
): readonly (readonly [path: string, name: string, member: Member])[] {
  return Object.entries(members).map(([name, member]) => [pointerTo(path, name), name, member]);
}

/** Names with their paths. */
type PlacedNames = readonly (readonly [path: string, name: string])[];

/** Yields a fault for each repeated name. Empty names are ignored. */
export function* repeated(names: PlacedNames, message: (name: string) => string): Generator<Fault> {
  const seen = new Set<string>();
  for (const [path, name] of names) {
    if (name !== '' && seen.has(name)) yield [path, message(name)];
    seen.add(name);
  }
}

/** Yields a fault for each name that is not a column. */
export function* unknownColumns(
  names: PlacedNames,
  schema: CheckedTable['schema'],
): Generator<Fault> {
  if (schema === undefined) return;
  for (const [path, name] of names) {
    if (columnNamed(name, schema) === undefined) yield [path, `The schema has no column ${name}.`];
  }
}

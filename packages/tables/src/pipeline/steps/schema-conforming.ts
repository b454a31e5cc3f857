import { expressionFailed, isMap, type Value } from '../../expressions/index.ts';
import type { Finding } from '../../finding.ts';
import { attempt, type ErrorPolicy, noStep, type PlannedStep } from '../step.ts';
import type { ColumnSpec, SchemaConformingPart } from '../column-spec.ts';

const depthMax = 100;

type Members = Record<string, Value>;

/** Where values go, by their path: names joined by dots. */
interface Routes {
  readonly columnOfPath: ReadonlyMap<string, string>;
  readonly dropped: ReadonlySet<string>;
  readonly unstored: ReadonlySet<string>;
  readonly preserved: ReadonlySet<string>;
  readonly doubled: ReadonlySet<string>;
  /** Ends the names of what cannot be indexed. */
  readonly suffix: string | undefined;
}

/** Where a row's values went. */
interface Sorted {
  readonly columns: Members;
  readonly extras: Members;
  readonly unindexable: Members;
}

/**
 * Sorts every value of a row, however deep, into the column of its path; what no column is for goes
 * into one of two columns of extras, where the config has them. The merged text index is not made:
 * nothing of it can be seen in a preview.
 */
export function planSchemaConforming(
  config: SchemaConformingPart | undefined,
  columns: readonly ColumnSpec[],
  policy: ErrorPolicy,
): PlannedStep {
  if (config === undefined || columns.length === 0) return noStep;
  const routes = routesOf(config, columns);
  const extrasField =
    config.enableIndexableExtras === false ? undefined : config.indexableExtrasField;
  const unindexableField =
    config.enableUnindexableExtras === false ? undefined : config.unindexableExtrasField;
  const reservedFields = new Set([extrasField, unindexableField, ...routes.preserved]);
  return {
    findings: config.mergedTextIndexField === undefined ? [] : [withoutTextIndex],
    step: {
      name: 'schemaConforming',
      apply(row, journal) {
        const { fields, sourceIndex } = row;
        const sorted: Sorted = { columns: members(), extras: members(), unindexable: members() };
        for (const [name, value] of Object.entries(fields)) {
          if (!reservedFields.has(name)) {
            attempt(row, name, policy, journal, () => sort(name, name, value, routes, sorted, 0));
          }
        }
        for (const name of Object.keys(fields)) if (!reservedFields.has(name)) delete fields[name];
        Object.assign(fields, sorted.columns);
        for (const [field, extras] of [
          [extrasField, sorted.extras],
          [unindexableField, sorted.unindexable],
        ] as const) {
          if (field === undefined || Object.keys(extras).length === 0) continue;
          const after = { ...extras };
          row.put(field, after);
          journal.note('added', field, { sourceIndex, after, reason: 'what no column is for' });
        }
        return row.alone;
      },
    },
  };
}

/** `extrasName` is the name under which the extras of the same depth have a value. */
function sort(
  path: string,
  extrasName: string,
  value: Value,
  routes: Routes,
  into: Sorted,
  depth: number,
): void {
  if (depth > depthMax) {
    throw expressionFailed(`${path.slice(0, 60)}… is nested more than ${depthMax} deep.`);
  }
  if (routes.dropped.has(path)) return;
  if (routes.suffix !== undefined && extrasName.endsWith(routes.suffix)) {
    into.unindexable[extrasName] = value;
    return;
  }
  const column = routes.columnOfPath.get(path);
  if (column !== undefined) into.columns[column] = value;
  const isStored = !routes.unstored.has(path);
  if (column !== undefined && !routes.doubled.has(path)) return;
  if (!isMap(value) || column !== undefined) {
    if (isStored) into.extras[extrasName] = value;
    return;
  }
  const below: Sorted = { columns: into.columns, extras: members(), unindexable: members() };
  for (const [name, member] of Object.entries(value)) {
    sort(`${path}.${name}`, name, member, routes, below, depth + 1);
  }
  if (isStored && Object.keys(below.extras).length > 0) {
    into.extras[extrasName] = { ...below.extras };
  }
  if (Object.keys(below.unindexable).length > 0) {
    into.unindexable[extrasName] = { ...below.unindexable };
  }
}

function routesOf(config: SchemaConformingPart, columns: readonly ColumnSpec[]): Routes {
  const paths = config.columnNameToJsonKeyPathMap ?? {};
  return {
    columnOfPath: new Map(
      columns.map(
        ({ name }) => [Object.hasOwn(paths, name) ? String(paths[name]) : name, name] as const,
      ),
    ),
    dropped: new Set(config.fieldPathsToDrop),
    unstored: new Set(config.fieldPathsToSkipStorage),
    preserved: new Set(config.fieldPathsToPreserveInput),
    doubled: new Set(config.fieldsToDoubleIngest),
    suffix: config.unindexableFieldSuffix === '' ? undefined : config.unindexableFieldSuffix,
  };
}

function members(): Members {
  return Object.create(null) as Members;
}

const withoutTextIndex: Finding = {
  path: '/ingestionConfig/schemaConformingTransformerConfig/mergedTextIndexField',
  code: 'PIPELINE_TEXT_INDEX_NOT_SHOWN',
  message:
    'The merged text index is made when a table is built, not here; its column is shown as empty.',
  severity: 'info',
};

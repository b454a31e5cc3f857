import { isQuireError } from '@quire/core';
import {
  expressionFailed,
  isMap,
  rowError,
  type Value,
  writeJson,
} from '../../expressions/index.ts';
import { type ErrorPolicy, noStep, type PlannedStep } from '../step.ts';
import type { ColumnSpec, SchemaConformingPart } from '../column-spec.ts';
import { MapOrder } from '../column-type.ts';
import { type TextMerger, textMerger } from './merged-text.ts';

const depthMax = 100;

type Members = Record<string, Value>;

/** A name in a path, the names below it, and the column of the path. */
interface PathNode {
  readonly below: Map<string, PathNode>;
  column: ColumnSpec | undefined;
}

/** The parts of the config and the schema that the step uses. */
interface Plan {
  readonly root: PathNode;
  readonly extras: ExtrasPlan;
  readonly unindexable: ExtrasPlan;
  readonly mergedText: ColumnSpec | undefined;
  readonly textOrder: MapOrder;
  readonly mergeText: TextMerger;
  readonly suffix: string;
  readonly dropped: ReadonlySet<string>;
  readonly unstored: ReadonlySet<string>;
  readonly preserved: ReadonlySet<string>;
  readonly preservedAndSearched: ReadonlySet<string>;
  readonly doubled: ReadonlySet<string>;
  /** True if a dot in a name separates it from the name of a nested member. */
  readonly dotsLead: boolean;
}

/** A column for extra fields, if there is one, and the order of its content. */
interface ExtrasPlan {
  readonly column: ColumnSpec | undefined;
  readonly order: MapOrder;
}

/** The destinations of a row's values. */
interface Sorted {
  readonly columns: Members;
  readonly extras: Members;
  readonly unindexable: Members;
  readonly searched: Map<string, Value>;
}

/**
 * Moves every value of a row, at any depth, to the column of its path, like Apache Pinot's
 * SchemaConformingTransformer. Values without a column go to one of two columns of extras, and
 * searched text to the merged text column. Only these columns remain in the row.
 */
export function planSchemaConforming(
  config: SchemaConformingPart | undefined,
  columns: readonly ColumnSpec[],
  policy: ErrorPolicy,
): PlannedStep {
  if (config === undefined || columns.length === 0) return noStep;
  const plan = planOf(config, columns);
  return {
    findings: [],
    step: {
      name: 'schemaConforming',
      apply(row, journal) {
        const given = Object.entries(row.fields);
        for (const [name] of given) delete row.fields[name];
        const sorted: Sorted = {
          columns: members(),
          extras: members(),
          unindexable: members(),
          searched: new Map(),
        };
        const put = (column: string, after: Value, reason: string): void => {
          row.put(column, after);
          journal.note('added', column, { sourceIndex: row.sourceIndex, after, reason });
        };
        try {
          for (const [name, value] of given) {
            sort({ node: plan.root, names: [name], value, isIndexable: true }, plan, sorted);
          }
          Object.assign(row.fields, sorted.columns);
          putExtras(sorted.extras, plan.extras, put);
          putExtras(sorted.unindexable, plan.unindexable, put);
          putMergedText(sorted.searched, plan, put);
        } catch (thrown) {
          const error = rowError(thrown);
          if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
          // Values that were already sorted are kept if the table continues on errors.
          Object.assign(row.fields, sorted.columns);
          const reason = error.message;
          journal.note('failed', undefined, { sourceIndex: row.sourceIndex, reason });
          if (policy === 'fail') row.failure = { column: '', reason };
          row.isIncomplete = true;
        } finally {
          plan.extras.order.grow(Object.keys(sorted.extras).length);
          plan.unindexable.order.grow(Object.keys(sorted.unindexable).length);
          plan.textOrder.grow(sorted.searched.size);
        }
        return row.alone;
      },
    },
  };
}

type Put = (column: string, after: Value, reason: string) => void;

function putExtras(extras: Members, { column, order }: ExtrasPlan, put: Put): void {
  const [name] = Object.keys(extras);
  if (name === undefined) return;
  if (column === undefined) {
    throw expressionFailed(
      `${name} has no column, and the config disables the extras that would hold it.`,
    );
  }
  const after = inMapOrder(extras, order);
  put(column.name, column.type === 'STRING' ? writeJson(after) : after, 'fields without a column');
}

/** Orders members like Java's maps, at any depth that this step created. */
function inMapOrder(extras: Readonly<Members>, order: MapOrder): Members {
  const ordered = members();
  for (const name of order.of(Object.keys(extras))) {
    const value = extras[name] ?? null;
    ordered[name] = isMap(value) ? inMapOrder(value, new MapOrder()) : value;
  }
  return ordered;
}

function putMergedText(
  searched: ReadonlyMap<string, Value>,
  { mergedText, mergeText }: Plan,
  put: Put,
): void {
  if (mergedText === undefined || searched.size === 0) return;
  const documents = mergeText(searched);
  const { name, isMultiValue } = mergedText;
  put(name, isMultiValue ? documents : documents.join(' '), 'fields searched as text');
}

/** A value to move: the node of its parent, and its names so far. */
interface Visit {
  readonly node: PathNode | undefined;
  readonly names: readonly string[];
  readonly value: Value;
  readonly isIndexable: boolean;
}

function sort({ node: parent, names, value, isIndexable }: Visit, plan: Plan, into: Sorted): void {
  const name = names.at(-1) ?? '';
  const path = names.join('.');
  if (names.length > depthMax) {
    throw expressionFailed(`${path.slice(0, 60)}… is nested more than ${depthMax} levels deep.`);
  }
  if (streamMetadata.test(name)) {
    into.columns[name] = value;
    return;
  }
  if (plan.dropped.has(path)) return;
  const node = parent === undefined ? undefined : childOf(parent, name, plan.dotsLead);
  const isSearched = plan.preservedAndSearched.has(path);
  if (isSearched || plan.preserved.has(path)) {
    into.columns[node?.column?.name ?? path] = asText(value, node?.column);
    if (isSearched) addSearched(path, value, plan, into.searched);
    return;
  }
  if (node === undefined && !plan.extras.column && !plan.unindexable.column) return;
  if (value === null) return;
  const isIndexed = isIndexable && !name.endsWith(plan.suffix);
  if (isMap(value)) {
    for (const [key, member] of Object.entries(value)) {
      sort({ node, names: [...names, key], value: member, isIndexable: isIndexed }, plan, into);
    }
  } else if (isIndexed) {
    sortLeaf({ names, path, value, column: node?.column }, plan, into);
  } else addExtra(into.unindexable, names, value);
}

/** Moves a value other than a map, which may be indexed. */
function sortLeaf(
  leaf: {
    readonly names: readonly string[];
    readonly path: string;
    readonly value: Value;
    readonly column: ColumnSpec | undefined;
  },
  plan: Plan,
  into: Sorted,
): void {
  const { names, path, value, column } = leaf;
  if (column !== undefined) {
    into.columns[column.name] = asText(value, column);
    if (plan.doubled.has(path)) addExtra(into.extras, names, value);
    into.searched.set(column.name, value);
  } else if (plan.extras.column !== undefined) {
    if (!plan.unstored.has(path)) addExtra(into.extras, names, value);
    into.searched.set(path, value);
  }
}

/** Matches the names of a message's key, headers and metadata. */
const streamMetadata = /^__(?:key$|header\$|metadata\$)/;

function childOf(node: PathNode, name: string, dotsLead: boolean): PathNode | undefined {
  if (!dotsLead || !name.includes('.')) return node.below.get(name);
  return name
    .replace(/\.+$/, '')
    .split('.')
    .reduce<PathNode | undefined>((at, each) => at?.below.get(each), node);
}

/** Returns collections in a single-value text column as JSON. */
function asText(value: Value, column: ColumnSpec | undefined): Value {
  const isText = column?.type === 'STRING' && !column.isMultiValue;
  return isText && (Array.isArray(value) || isMap(value)) ? writeJson(value) : value;
}

function addExtra(extras: Members, names: readonly string[], value: Value): void {
  let at = extras;
  for (const name of names.slice(0, -1)) at = (at[name] ??= members()) as Members;
  at[names.at(-1) ?? ''] = value;
}

function addSearched(path: string, value: Value, plan: Plan, searched: Map<string, Value>): void {
  if (path.endsWith(plan.suffix)) return;
  if (!isMap(value)) {
    searched.set(path, value);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    addSearched(`${path}.${key}`, member, plan, searched);
  }
}

function planOf(config: SchemaConformingPart, columns: readonly ColumnSpec[]): Plan {
  const paths = config.columnNameToJsonKeyPathMap ?? {};
  const root: PathNode = { below: new Map(), column: undefined };
  for (const column of columns) {
    const path = Object.hasOwn(paths, column.name) ? String(paths[column.name]) : column.name;
    let node = root;
    for (const name of path.split('.')) {
      const next = node.below.get(name) ?? { below: new Map(), column: undefined };
      node.below.set(name, next);
      node = next;
    }
    node.column = column;
  }
  const columnNamed = (name: string | undefined): ColumnSpec | undefined =>
    columns.find((column) => column.name === name);
  const extrasOf = (name: string | undefined): ExtrasPlan => ({
    column: columnNamed(name),
    order: new MapOrder(),
  });
  const {
    enableIndexableExtras: hasExtras = true,
    enableUnindexableExtras: hasUnindexable = true,
    indexableExtrasField = 'json_data',
    unindexableExtrasField = 'json_data_no_idx',
    mergedTextIndexField = '__mergedTextIndex',
  } = config;
  const textOrder = new MapOrder();
  return {
    root,
    extras: extrasOf(hasExtras ? indexableExtrasField : undefined),
    unindexable: extrasOf(hasUnindexable ? unindexableExtrasField : undefined),
    mergedText: columnNamed(mergedTextIndexField),
    textOrder,
    mergeText: textMerger(config, textOrder),
    suffix: config.unindexableFieldSuffix ?? '_noindex',
    dropped: new Set(config.fieldPathsToDrop),
    unstored: new Set(config.fieldPathsToSkipStorage ?? ['message']),
    preserved: new Set(config.fieldPathsToPreserveInput),
    preservedAndSearched: new Set(config.fieldPathsToPreserveInputWithIndex),
    doubled: new Set(config.fieldsToDoubleIngest),
    dotsLead: config.useAnonymousDotInFieldNames ?? true,
  };
}

function members(): Members {
  return Object.create(null) as Members;
}

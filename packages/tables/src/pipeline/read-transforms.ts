import {
  columnsOf,
  type Evaluator,
  type Expression,
  type Fields,
  isMap,
  parseExpression,
  type Value,
} from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import type { ColumnSpec, TransformPart } from './column-spec.ts';

/** The transforms that can run, in a valid order, and findings about the others. */
interface ReadTransforms {
  readonly transforms: readonly Transform[];
  readonly findings: readonly Finding[];
}

/**
 * Reads the transforms of a config, and the explicit or implicit ones of the schema's columns that
 * have none in the config.
 */
export function readTransforms(
  configs: readonly TransformPart[],
  columns: readonly ColumnSpec[],
): ReadTransforms {
  const findings: Finding[] = [];
  const byColumn = new Map<string, Transform>();
  const given = [
    ...configs.map(({ columnName, transformFunction }, index) => {
      return {
        column: columnName,
        text: transformFunction,
        path: `/ingestionConfig/transformConfigs/${index}`,
      };
    }),
    ...columns.map((column) => ({
      column: column.name,
      text: column.transformFunction,
      path: column.path,
    })),
  ];
  for (const { column, text, path } of given) {
    if (column === undefined || text === undefined || text.trim() === '') continue;
    if (byColumn.has(column)) {
      const message = `The column ${column} already has a transform; only the first one is used.`;
      findings.push({ path, code: 'PIPELINE_DUPLICATE_TRANSFORM', message, severity: 'warning' });
      continue;
    }
    const parsed = parseExpression(text, `${path}/transformFunction`);
    if (parsed.findings !== undefined) findings.push(...parsed.findings);
    else {
      findings.push(...parsed.warnings);
      byColumn.set(column, { column, expression: parsed.expression, path });
    }
  }
  for (const column of columns) {
    const implicit = byColumn.has(column.name) ? undefined : implicitTransform(column);
    if (implicit === undefined) continue;
    const { source, evaluate } = implicit;
    byColumn.set(column.name, {
      column: column.name,
      expression: { kind: 'column', name: source },
      evaluate,
      path: column.path,
    });
  }
  const { ordered, cycles, blocked } = orderTransforms([...byColumn.values()]);
  return {
    transforms: ordered,
    findings: [...findings, ...cycles.map(describeCycle), ...blocked.map(describeBlocked)],
  };
}

function describeCycle(cycle: readonly Transform[]): Finding {
  const names = cycle.map(({ column }) => column);
  const shown = names.length > 8 ? [...names.slice(0, 8), '…'] : names;
  const message =
    names.length === 1
      ? `The transform of ${names[0]} reads ${names[0]} itself; it is ignored.`
      : `Transforms depend on each other in a cycle: ${[...shown, names[0]].join(' reads ')}; they are ignored.`;
  return {
    path: cycle[0]?.path ?? '',
    code: 'PIPELINE_TRANSFORM_CYCLE',
    message,
    severity: 'error',
  };
}

function describeBlocked({ column, path }: Transform): Finding {
  const message = `The transform of ${column} reads a column whose transform is ignored, so it is ignored as well.`;
  return { path, code: 'PIPELINE_TRANSFORM_BLOCKED', message, severity: 'error' };
}

const parts: readonly (readonly [string, (name: string, value: Value) => Value])[] = [
  ['__KEYS', (name) => name],
  ['__VALUES', (_name, value) => value],
];

/**
 * The transform of a column that is named after the keys or values of a map, and the column of the
 * map.
 */
interface ImplicitTransform {
  readonly source: string;
  readonly evaluate: (fields: Fields) => Value;
}

/**
 * Returns the transform of `tags__KEYS`, the keys of the map `tags`, or of `tags__VALUES`, its
 * values in the order of the keys; undefined for any other column.
 */
function implicitTransform({ name }: ColumnSpec): ImplicitTransform | undefined {
  for (const [suffix, take] of parts) {
    if (!name.endsWith(suffix) || name.length === suffix.length) continue;
    const source = name.slice(0, -suffix.length);
    return {
      source,
      evaluate: (fields) => {
        const map = fields[source] ?? null;
        if (!isMap(map)) return null;
        return Object.keys(map)
          .toSorted()
          .map((key) => take(key, map[key] ?? null));
      },
    };
  }
  return undefined;
}

/** A column and its parsed expression. */
export interface Transform {
  readonly column: string;
  /**
   * The parsed expression, which names the columns that it reads; `evaluate` may compute the value
   * instead.
   */
  readonly expression: Expression;
  readonly evaluate?: Evaluator;
  /** JSON pointer to the transform. */
  readonly path: string;
}

/** Transforms ordered so that each follows those whose columns it reads, and those in cycles. */
interface TransformOrder {
  readonly ordered: readonly Transform[];
  /** Each cycle is a path from a column back to itself: `[a, b]` if a reads b and b reads a. */
  readonly cycles: readonly (readonly Transform[])[];
  /** Transforms that read a column of a cycle. */
  readonly blocked: readonly Transform[];
}

/**
 * Orders transforms by their dependencies (depth first, R. Tarjan, 1976), and otherwise preserves
 * their order.
 *
 * Takes linear time in the number of transforms and of the columns that they read.
 */
export function orderTransforms(transforms: readonly Transform[]): TransformOrder {
  const byColumn = new Map(transforms.map((transform) => [transform.column, transform]));
  const dependencies = new Map(
    transforms.map((transform) => [
      transform,
      columnsOf(transform.expression).flatMap((column) => byColumn.get(column) ?? []),
    ]),
  );
  const state = new Map<Transform, 'open' | 'done' | 'broken'>();
  const ordered: Transform[] = [];
  const blocked: Transform[] = [];
  const cycles: (readonly Transform[])[] = [];
  const inCycle = new Set<Transform>();

  for (const root of transforms) {
    if (state.has(root)) continue;
    const way: { readonly transform: Transform; next: number; isBroken: boolean }[] = [];
    const enter = (transform: Transform): void => {
      state.set(transform, 'open');
      way.push({ transform, next: 0, isBroken: false });
    };
    enter(root);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const dependency = dependencies.get(top.transform)?.[top.next];
      top.next += 1;
      if (dependency === undefined) {
        way.pop();
        const isBroken = top.isBroken || inCycle.has(top.transform);
        state.set(top.transform, isBroken ? 'broken' : 'done');
        if (!isBroken) ordered.push(top.transform);
        else if (!inCycle.has(top.transform)) blocked.push(top.transform);
        const reader = way.at(-1);
        if (isBroken && reader !== undefined) reader.isBroken = true;
        continue;
      }
      const known = state.get(dependency);
      if (known === undefined) enter(dependency);
      else if (known === 'broken') top.isBroken = true;
      else if (known === 'open') {
        const cycle = way
          .slice(way.findIndex(({ transform }) => transform === dependency))
          .map(({ transform }) => transform);
        cycles.push(cycle);
        for (const member of cycle) inCycle.add(member);
      }
    }
  }
  return { ordered, cycles, blocked };
}

import {
  columnsOf,
  type Expression,
  isDeterministic,
  parseExpression,
} from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import { aggregatedColumnsOf } from './aggregations.ts';
import {
  type CheckedSchema,
  type CheckedTable,
  columnNamed,
  type Fault,
  placed,
  rulesAbout,
} from './rule.ts';

const { error, warning } = rulesAbout('expressions');

/** Rules about the expressions of an ingestion config. */
export const expressionRules = [
  error(
    'TRANSFORM_SYNTAX',
    'Transforms must be expressions of known functions with arguments that they accept; Groovy is not supported.',
    ({ config }) => syntaxFaults(transformsOf(config)),
  ),
  error('TRANSFORM_SELF', 'A transform must not read the column that it computes.', ({ config }) =>
    selfFaults(transformsOf(config)),
  ),
  // A controller accepts such a config, but its pipeline cannot be built, so no row is ingested.
  error(
    'TRANSFORM_CYCLE',
    'Transforms must not depend on each other in a cycle.',
    function* ({ config }) {
      const transforms = transformsOf(config);
      const readsOf = new Map(
        transforms.map(({ name, reads }) => [name, reads.filter((column) => column !== name)]),
      );
      for (const { name, path } of transforms) {
        if (reaches(name, readsOf)) {
          yield [path, `The transform of ${name} reads columns that are computed from ${name}.`];
        }
      }
    },
  ),
  error(
    'TRANSFORM_DESTINATION',
    'A transform must compute a column of the schema, or one that an aggregation reads.',
    function* ({ config, schema }) {
      if (schema === undefined) return;
      const aggregated = new Set(aggregatedColumnsOf(config));
      for (const { name, path } of transformsOf(config)) {
        if (aggregated.has(name) || columnNamed(name, schema) !== undefined) continue;
        yield [
          path.replace(/transformFunction$/, 'columnName'),
          `The schema has no column ${name}; an enricher of the type generateColumn can create it as an intermediate column.`,
        ];
      }
    },
  ),
  warning(
    'TRANSFORM_IMMUTABLE',
    'Transforms should be deterministic: they should not call now() or similar functions.',
    function* ({ config }) {
      for (const { path, expression } of transformsOf(config)) {
        const name = expression === undefined ? undefined : changingFunctionOf(expression);
        if (name !== undefined) {
          yield [
            path,
            `${name}() is not deterministic: it returns another value when rows are ingested again.`,
          ];
        }
      }
    },
  ),
  error(
    'FILTER_SYNTAX',
    'The filter must be an expression of known functions; Groovy is not supported.',
    ({ config }) => syntaxFaults(filtersOf(config)),
  ),
];

const schemaRules = rulesAbout<CheckedSchema>('expressions');

/** Rules about the transforms of a schema's columns. */
export const schemaExpressionRules = [
  schemaRules.error(
    'SCHEMA_TRANSFORM_SYNTAX',
    'Transforms of a schema must be expressions of known functions; Groovy is not supported.',
    (checked) => syntaxFaults(schemaTransformsOf(checked)),
  ),
  schemaRules.error(
    'SCHEMA_TRANSFORM_SELF',
    'A transform of a schema must not read the column that it computes.',
    (checked) => selfFaults(schemaTransformsOf(checked)),
  ),
  schemaRules.error(
    'SCHEMA_TRANSFORM_CHAINED',
    'A transform of a schema must not read a column that another one computes; use transforms of the ingestion config instead.',
    function* (checked) {
      const transforms = schemaTransformsOf(checked);
      const made = new Set(transforms.map(({ name }) => name));
      for (const { path, name, reads } of transforms) {
        const other = reads.find((column) => column !== name && made.has(column));
        if (other !== undefined) {
          yield [
            path,
            `The transform of ${name} reads ${other}, which another transform computes.`,
          ];
        }
      }
    },
  ),
];

/** An expression that computes a column. */
interface Transform {
  readonly path: string;
  readonly name: string;
  readonly expression: Expression | undefined;
  /** The findings about its text. */
  readonly findings: readonly Finding[];
  readonly reads: readonly string[];
}

function transformOf(path: string, name: string, text: string): Transform {
  const { expression, findings = [] } = parseExpression(text, path);
  return {
    path,
    name,
    expression,
    findings,
    reads: expression === undefined ? [] : columnsOf(expression),
  };
}

function transformsOf({ ingestionConfig }: CheckedTable['config']): readonly Transform[] {
  return placed('/ingestionConfig/transformConfigs', ingestionConfig?.transformConfigs)
    .filter(
      ([, { columnName = '', transformFunction = '' }]) =>
        columnName !== '' && transformFunction.trim() !== '',
    )
    .map(([path, { columnName = '', transformFunction = '' }]) => {
      return transformOf(`${path}/transformFunction`, columnName, transformFunction);
    });
}

/** Returns the filter of a table, if it has one: an expression without a column. */
function filtersOf({ ingestionConfig }: CheckedTable['config']): readonly Transform[] {
  const text = (ingestionConfig?.filterConfig?.filterFunction ?? '').trim();
  return text === '' ? [] : [transformOf('/ingestionConfig/filterConfig/filterFunction', '', text)];
}

function schemaTransformsOf({ columns }: CheckedSchema): readonly Transform[] {
  return columns.flatMap(({ name, path, spec: { transformFunction: text } }) => {
    return text === undefined ? [] : [transformOf(`${path}/transformFunction`, name, text)];
  });
}

function syntaxFaults(transforms: readonly Transform[]): readonly Fault[] {
  return transforms.flatMap(({ findings }) =>
    findings.map(({ path, message }) => [path, message] as const),
  );
}

function* selfFaults(transforms: readonly Transform[]): Generator<Fault> {
  for (const { path, name, reads } of transforms) {
    if (reads.includes(name)) yield [path, `The transform of ${name} reads ${name} itself.`];
  }
}

/** Reports whether a column depends on itself, over any number of steps. */
function reaches(name: string, readsOf: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const pending = [...(readsOf.get(name) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === name) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    pending.push(...(readsOf.get(next) ?? []));
  }
  return false;
}

/** Returns the first function of an expression whose value depends on more than its arguments. */
function changingFunctionOf(expression: Expression): string | undefined {
  if (expression.kind !== 'call') return undefined;
  if (!isDeterministic(expression.name, expression.args.length)) return expression.name;
  for (const argument of expression.args) {
    const name = changingFunctionOf(argument);
    if (name !== undefined) return name;
  }
  return undefined;
}

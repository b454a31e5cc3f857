import { columnsOf, type Expression, isDeterministic, parseExpression } from '@quire/expressions';
import type { CheckedSchema, CheckedTable, SchemaRule, TableRule } from './rule.ts';

/** Rules about the expressions of an ingestion config. */
export const expressionRules: readonly TableRule[] = [
  {
    code: 'TRANSFORM_SYNTAX',
    subject: 'expressions',
    severity: 'error',
    description: 'Transforms are expressions of known functions with arguments that they take; Groovy is never run.',
    *check({ config }) {
      for (const { path, text } of transformsOf(config)) yield* parseExpression(text, path).findings ?? [];
    },
  },
  {
    code: 'TRANSFORM_SELF',
    subject: 'expressions',
    severity: 'error',
    description: 'A transform does not read the column that it makes.',
    *check({ config }) {
      for (const { path, name, reads } of transformsOf(config)) {
        if (reads.includes(name)) yield { path, message: `The transform of ${name} reads ${name} itself.` };
      }
    },
  },
  {
    code: 'TRANSFORM_CYCLE',
    subject: 'expressions',
    severity: 'error',
    description: 'Transforms do not go round in a circle.',
    *check({ config }) {
      const transforms = transformsOf(config);
      const readsOf = new Map(transforms.map(({ name, reads }) => [name, reads.filter((column) => column !== name)]));
      for (const { name, path } of transforms) {
        if (reaches(name, readsOf)) yield { path, message: `What the transform of ${name} reads is made from ${name}.` };
      }
    },
  },
  {
    code: 'TRANSFORM_DESTINATION',
    subject: 'expressions',
    severity: 'error',
    description: 'A transform makes a column of the schema, or one that another expression reads.',
    *check({ config, schema }) {
      if (schema === undefined) return;
      const transforms = transformsOf(config);
      const filter = parseExpression(filterOf(config)).expression;
      const read = new Set([...transforms.flatMap(({ reads }) => reads), ...(filter === undefined ? [] : columnsOf(filter))]);
      for (const { aggregationFunction = '' } of config.ingestionConfig?.aggregationConfigs ?? []) {
        const [, , column] = /^\s*\w+\s*\(\s*("?)([^"(),]+)\1\s*[,)]/.exec(aggregationFunction) ?? [];
        if (column !== undefined) read.add(column.trim());
      }
      for (const { name, path } of transforms) {
        const isUsed = read.has(name) || schema.columns.some((column) => column.name === name);
        if (isUsed) continue;
        yield {
          path: path.replace(/transformFunction$/, 'columnName'),
          message: `The schema has no column ${name}, and nothing reads it.`,
        };
      }
    },
  },
  {
    code: 'TRANSFORM_IMMUTABLE',
    subject: 'expressions',
    severity: 'warning',
    description: 'Transforms give the same value whenever they run: they do not use now() and the like.',
    *check({ config }) {
      for (const { path, text } of transformsOf(config)) {
        const { expression } = parseExpression(text);
        const name = expression === undefined ? undefined : changingFunctionOf(expression);
        if (name !== undefined) yield { path, message: `${name}() gives another value each time that rows are ingested again.` };
      }
    },
  },
  {
    code: 'FILTER_SYNTAX',
    subject: 'expressions',
    severity: 'error',
    description: 'The filter is an expression of known functions; Groovy is never run.',
    *check({ config }) {
      const text = filterOf(config);
      if (text !== '') yield* parseExpression(text, '/ingestionConfig/filterConfig/filterFunction').findings ?? [];
    },
  },
];

/** An expression that makes a column. */
interface Transform {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly reads: readonly string[];
}

function transformsOf({ ingestionConfig }: CheckedTable['config']): readonly Transform[] {
  return (ingestionConfig?.transformConfigs ?? []).flatMap(({ columnName: name = '', transformFunction: text = '' }, index) => {
    if (name === '' || text.trim() === '') return [];
    const { expression } = parseExpression(text);
    const reads = expression === undefined ? [] : columnsOf(expression);
    return [{ path: `/ingestionConfig/transformConfigs/${index}/transformFunction`, name, text, reads }];
  });
}

function filterOf({ ingestionConfig }: CheckedTable['config']): string {
  return (ingestionConfig?.filterConfig?.filterFunction ?? '').trim();
}

/** Tells whether a column is made, over any number of steps, from itself. */
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

/** The first function of an expression whose value depends on more than its arguments. */
function changingFunctionOf(expression: Expression): string | undefined {
  if (expression.kind !== 'call') return undefined;
  if (!isDeterministic(expression.name, expression.args.length)) return expression.name;
  for (const argument of expression.args) {
    const name = changingFunctionOf(argument);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Rules about the transforms of a schema's columns. */
export const schemaExpressionRules: readonly SchemaRule[] = [
  {
    code: 'SCHEMA_TRANSFORM_SYNTAX',
    subject: 'expressions',
    severity: 'error',
    description: 'Transforms of a schema are expressions of known functions; Groovy is never run.',
    *check(checked) {
      for (const { path, text } of schemaTransformsOf(checked)) yield* parseExpression(text, path).findings ?? [];
    },
  },
  {
    code: 'SCHEMA_TRANSFORM_SELF',
    subject: 'expressions',
    severity: 'error',
    description: 'A transform of a schema does not read the column that it makes.',
    *check(checked) {
      for (const { path, name, reads } of schemaTransformsOf(checked)) {
        if (reads.includes(name)) yield { path, message: `The transform of ${name} reads ${name} itself.` };
      }
    },
  },
  {
    code: 'SCHEMA_TRANSFORM_CHAINED',
    subject: 'expressions',
    severity: 'error',
    description:
      'A transform of a schema does not read a column that another one makes; the ingestion config can say such a thing.',
    *check(checked) {
      const transforms = schemaTransformsOf(checked);
      const made = new Set(transforms.map(({ name }) => name));
      for (const { path, name, reads } of transforms) {
        const other = reads.find((column) => column !== name && made.has(column));
        if (other !== undefined) {
          yield { path, message: `The transform of ${name} reads ${other}, which another transform makes.` };
        }
      }
    },
  },
];

function schemaTransformsOf({ columns }: CheckedSchema): readonly Transform[] {
  return columns.flatMap(({ name, path, spec: { transformFunction: text } }) => {
    if (text === undefined) return [];
    const { expression } = parseExpression(text);
    const reads = expression === undefined ? [] : columnsOf(expression);
    return [{ path: `${path}/transformFunction`, name, text, reads }];
  });
}

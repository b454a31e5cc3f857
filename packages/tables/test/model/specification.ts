import { readFileSync } from 'node:fs';

/**
 * A member as listed in the specification's tables: its type, or its own members; in a list for
 * lists of objects.
 */
export type Listed =
  | string
  | { readonly [member: string]: Listed }
  | readonly [{ readonly [member: string]: Listed }];

/**
 * The tables of SPECIFICATION.md sections 2.3 to 2.5, written from the specification and not from
 * the code.
 */
export const specification = JSON.parse(
  readFileSync(new URL('../fixtures/specification-members.json', import.meta.url), 'utf8'),
) as Readonly<Record<'tableConfig' | 'schema' | 'preview', { readonly [member: string]: Listed }>>;

/** Returns every listed member as a path, with `[]` for the elements of a list. */
export function pathsOf(
  listed: Listed,
  path = '',
): readonly (readonly [path: string, type: string])[] {
  const resolved = resolve(listed);
  if (typeof resolved === 'string') return [[path, resolved]];
  if (Array.isArray(resolved)) {
    return [[path, 'array of members'], ...pathsOf(resolved[0] as Listed, `${path}[]`)];
  }
  const members = Object.entries(resolved).flatMap(([name, member]) =>
    pathsOf(member, `${path}/${name}`),
  );
  return path === '' || path.endsWith('[]') ? members : [[path, 'members'], ...members];
}

/** Returns a value with every listed member, each with a value that is not its default. */
export function exampleOf(listed: Listed, name = 'x'): unknown {
  const resolved = resolve(listed);
  if (Array.isArray(resolved)) return [exampleOf(resolved[0] as Listed)];
  if (typeof resolved === 'object') {
    return Object.fromEntries(
      Object.entries(resolved).map(([member, of]) => [member, exampleOf(of, member)]),
    );
  }
  return name in words ? words[name] : scalars[resolved];
}

/** Members whose values are names of an enumeration. */
const words: Readonly<Record<string, unknown>> = {
  indexTypes: ['INVERTED', 'TIMESTAMP'],
  granularities: ['DAY'],
  partialUpsertStrategies: { price: 'INCREMENT' },
  taskTypeConfigsMap: { key: { name: 'a text' } },
  columnPartitionMap: { key: { functionName: 'Murmur', numPartitions: 4 } },
};

const scalars: Readonly<Record<string, unknown>> = {
  string: 'a text',
  integer: 7,
  number: 0.25,
  boolean: true,
  'array of string': ['one', 'two'],
  'array of object': [{ inputDirURI: 'file:///data' }],
  object: { key: 'a text' },
  any: [1, 'a'],
};

function resolve(listed: Listed): Listed {
  if (listed === '{tableConfig}') return specification.tableConfig;
  return listed === '{schema}' ? specification.schema : listed;
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Declarations, type Export } from './declarations.ts';

const root = join(import.meta.dirname, '../../..');

/** Longer types are those of JSON schemas, written out: other suites check their documents. */
const charactersMax = 4000;

interface Entry {
  /** The import specifier: `core/testing`. */
  readonly specifier: string;
  /** The source behind it. */
  readonly file: string;
}

/** Entry points of a package; that of the command has none. */
function entriesOf(name: string): readonly Entry[] {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  ) as {
    exports?: Record<string, { '@quire/source': string }>;
  };
  return Object.entries(manifest.exports ?? {}).map(([path, target]) => ({
    specifier: join(name, path),
    file: join('packages', name, target['@quire/source']),
  }));
}

/** Renders the exports of an entry, as its importers see them. */
function signatures(exports: ReadonlyMap<string, Export>): string {
  const parts = Array.from(exports, ([name, { isType, declaration }]): [string, string] => {
    const head = isType ? `type ${name}` : name;
    if (declaration === undefined) return [head, 'is what another package exports'];
    const text = declaration.text.replace(/^export /gm, '').replace(/^declare /gm, '');
    if (text.length <= charactersMax) return [head, text];
    return [
      head,
      `${text.length} characters, SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
    ];
  });
  const sorted = parts.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([head, text]) => `# ${head}\n${text}\n`).join('\n');
}

/** Reports whether the declaration of a name in a source directly follows a doc comment. */
function isDocumented(source: string, name: string): boolean {
  const words =
    '(?:export |declare |abstract |async )*(?:const|let|function\\*?|class|interface|type|enum)';
  const found = new RegExp(`^${words} ${name}\\b`, 'm').exec(source);
  return found !== null && /\/\*\*(?:(?!\*\/)[^])*\*\/\n$/.test(source.slice(0, found.index));
}

const packages = readdirSync(join(root, 'packages'), { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() ? [each.name] : [],
);
let declarations: Declarations;

beforeAll(async () => {
  declarations = await Declarations.emit();
});

describe('what the packages export', () => {
  test.each(packages.flatMap(entriesOf))(
    'what the packages export: $specifier',
    async ({ specifier, file }) => {
      const snapshot = `./exports/${specifier.replaceAll('/', '-')}.txt`;
      await expect(signatures(declarations.exportsOf(file))).toMatchFileSnapshot(snapshot);
    },
  );

  test.each(packages)(
    'what the packages export: %s exports every type that its signatures mention',
    (name) => {
      const exports = entriesOf(name).flatMap(({ file }) => [
        ...declarations.exportsOf(file).values(),
      ]);
      const known = new Set(exports.map(({ declaration }) => declaration));
      const missing = exports.flatMap((each) =>
        declarations
          .mentionsOf(each)
          .filter((mentioned) => !known.has(mentioned))
          .map(
            (mentioned) =>
              `${mentioned.name} (${mentioned.file}), which ${each.declaration?.name} mentions`,
          ),
      );
      expect(missing).toEqual([]);
    },
  );

  test.each(packages)('what the packages export: %s documents every export', (name) => {
    const exports = entriesOf(name).flatMap(({ file }) => [
      ...declarations.exportsOf(file).values(),
    ]);
    const undocumented = exports.flatMap(({ declaration }) => {
      const lacks =
        declaration !== undefined &&
        !isDocumented(readFileSync(join(root, declaration.file), 'utf8'), declaration.name);
      return lacks ? `${declaration.name} (${declaration.file})` : [];
    });
    expect([...new Set(undocumented)]).toEqual([]);
  });
});

describe('isDocumented', () => {
  test.each([
    ['/** Counts. */\nexport function count(): number {', true],
    ['/**\n * Counts.\n */\nexport const count = 1;', true],
    ['/** Counts. */\nexport abstract class count<T> {', true],
    ['/** Counts. */\nexport async function* count() {', true],
    ['export interface count {', false],
    ['/** Something else. */\n\nexport type count = 1;', false],
    ['/* Counts. */\nexport type count = 1;', false],
    ['/** Counts. */\nexport const counts = 1;\nexport const count = 1;', false],
  ])('isDocumented of %j is %s', (source, expected) => {
    expect(isDocumented(source, 'count')).toBe(expected);
  });
});

describe('declarations', () => {
  const parsed = new Declarations(
    new Map([
      [
        'index.ts',
        `import { type A as Renamed, Hidden } from './a.ts';
         export { B } from './a.ts';
         export type { C } from './a.ts';
         export { type D } from '@quire/core';
         interface Own {}
         export declare function f(x: Own): import('./a.ts').Inferred;
         export declare function f(x: Renamed): Hidden.Part;
         export type { Renamed as E };`,
      ],
      [
        'a.ts',
        `export interface A {}
         export declare class B { #private; constructor(given: Given); get part(): readonly Part[]; }
         export declare class C extends B { constructor(given: Given); }
         export interface Given {}
         export interface Part {}
         export interface Inferred {}
         export declare namespace Hidden {}`,
      ],
    ]),
  );
  const mentions = (name: string): readonly string[] => {
    const found = parsed.exportsOf('index.ts').get(name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return parsed.mentionsOf(found).map((each) => each.name);
  };

  test('declarations tell types from values, and whose they are', () => {
    const facts = Array.from(parsed.exportsOf('index.ts'), ([name, { isType, declaration }]) => [
      name,
      isType,
      declaration === undefined ? undefined : `${declaration.file} ${declaration.name}`,
    ]);
    expect(facts).toEqual([
      ['B', false, 'a.ts B'],
      ['C', true, 'a.ts C'],
      ['D', true, undefined],
      ['f', false, 'index.ts f'],
      ['E', true, 'a.ts A'],
    ]);
  });

  test('declarations find what types mention, across modules', () => {
    expect(mentions('f')).toEqual(['Own', 'Inferred', 'A', 'Hidden']);
  });

  test('declarations count the parameters of a constructor only where it can be called', () => {
    expect([mentions('B'), mentions('C')]).toEqual([['Part', 'Given'], ['B']]);
  });

  test('declarations refuse to guess', () => {
    const starred = new Declarations(new Map([['index.ts', `export * from './b.ts';`]]));
    expect(() => starred.exportsOf('index.ts')).toThrow('export *');
  });
});

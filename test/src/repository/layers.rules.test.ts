import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cyclesOf } from './cycles.ts';
import { type WorkspacePackage, readPackages } from './workspace-packages.ts';
import * as rules from './rules.ts';
import { parseSourceFile } from './source-file.ts';

const packages = readPackages(join(import.meta.dirname, '../../..'));

/** A package of one file that is written here. */
function sample(
  name: string,
  text: string,
  dependencies: Record<string, string> = {},
): WorkspacePackage {
  const manifest = { name: `@quire/${name}`, version: '0.1.0', dependencies };
  return {
    name,
    manifest,
    peers: new Set(['commander']),
    files: [parseSourceFile(`packages/${name}/src/sample.ts`, text)],
  };
}

const lines = (count: number): string => 'f();\n'.repeat(count);

describe('the packages follow their plan', () => {
  test.each(Object.entries(rules))('the packages follow their plan: %s', (_name, rule) => {
    expect(packages.flatMap((each) => rule(each))).toEqual([]);
  });

  test('all packages are read', () => {
    expect(packages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['core', 'results', 'broker', 'cli']),
    );
    expect(packages.filter(({ files }) => files.length === 0)).toEqual([]);
  });

  test('packages depend on each other, and on each package of others, at one version', () => {
    const versions = packages.flatMap(({ manifest }) => [
      [manifest.name, manifest.version] as const,
      ...Object.entries({ ...manifest.devDependencies, ...manifest.dependencies }),
    ]);
    const distinct = new Set(versions.map((each) => each.join('@')));
    expect([...distinct].toSorted()).toEqual(
      [...new Map(versions)].map((each) => each.join('@')).toSorted(),
    );
    const own = versions.filter(([name]) => name.startsWith('@quire/'));
    expect(new Set(own.map(([, version]) => version)).size).toBe(1);
  });
});

describe('importsPointDown', () => {
  test('importsPointDown finds imports of the same level, of a higher level, of itself and of an unknown package', () => {
    const text = `import '@quire/auth'; import type { X } from '@quire/broker'; export { y } from '@quire/api';
      const z = await import('@quire/nowhere');`;
    expect(rules.importsPointDown(sample('api', text))).toEqual([
      'packages/api/src/sample.ts imports @quire/auth, which is not below api',
      'packages/api/src/sample.ts imports @quire/broker, which is not below api',
      'packages/api/src/sample.ts imports @quire/api, which is not below api',
      'packages/api/src/sample.ts imports @quire/nowhere, which is not below api',
    ]);
  });

  test('importsPointDown finds a way around the names, and a test kit in production code', () => {
    const text = `import '../../core/src/index.ts'; import './other.ts'; type T = import('@quire/core/testing').T;`;
    expect(rules.importsPointDown(sample('results', text))).toEqual([
      'packages/results/src/sample.ts leaves its package by ../../core/src/index.ts',
      'packages/results/src/sample.ts imports @quire/core/testing, which is for tests',
    ]);
  });

  test('importsPointDown finds a package that the plan does not know', () => {
    expect(rules.importsPointDown(sample('attic', ''))).toEqual(['attic has no level in the plan']);
  });

  test('importsPointDown lets imports of lower levels pass', () => {
    expect(
      rules.importsPointDown(
        sample('results', `import '@quire/core'; import 'fastify'; import './a/b.ts';`),
      ),
    ).toEqual([]);
  });
});

describe('importsDoNotGoRound', () => {
  const filesOf = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([path, text]) => parseSourceFile(`packages/core/src/${path}`, text));

  test('importsDoNotGoRound finds a cycle of files in one folder, and one of folders whose files have none', () => {
    const files = filesOf({
      'a.ts': `import './b.ts';`,
      'b.ts': `import type { A } from './a.ts';`,
      'x/one.ts': `import '../y/one.ts';`,
      'x/two.ts': '',
      'y/one.ts': '',
      'y/two.ts': `import '../x/two.ts';`,
    });
    expect(cyclesOf(files)).toEqual([
      ['packages/core/src/a.ts', 'packages/core/src/b.ts'],
      ['packages/core/src/x', 'packages/core/src/y'],
    ]);
  });

  test('importsDoNotGoRound lets files stand above the folders beside them, and below, and lets the entry name everything', () => {
    const files = filesOf({
      'index.ts': `export { a } from './a.ts'; export { x } from './x/one.ts';`,
      'a.ts': `import './x/one.ts';`,
      'b.ts': '',
      'x/one.ts': `import '../b.ts'; import { a } from '../index.ts'; import './two.ts';`,
      'x/two.ts': '',
    });
    expect(cyclesOf(files)).toEqual([]);
  });
});

describe('manifestMatchesImports', () => {
  test('manifestMatchesImports wants the imports of a bundle among the development dependencies', () => {
    const each = sample('cli', `import 'commander'; import 'pino';`, { pino: '1.0.0' });
    const manifest = { ...each.manifest, devDependencies: { uuid: '1.0.0', commander: '1.0.0' } };
    expect(rules.manifestMatchesImports({ ...each, manifest })).toEqual([
      'cli imports pino but does not declare it',
      'cli declares uuid but does not import it',
    ]);
  });

  test('manifestMatchesImports finds what is undeclared and what is unused', () => {
    const text = `import 'node:fs'; import './x.ts'; import a from 'lz4/binding'; import type b from '@quire/core/testing';`;
    expect(
      rules.manifestMatchesImports(
        sample('results', text, { '@quire/core': '0.1.0', uuid: '1.0.0', commander: '1.0.0' }),
      ),
    ).toEqual([
      'results imports lz4 but does not declare it',
      'results declares uuid but does not import it',
    ]);
  });
});

describe('librariesStayWithTheirOwners', () => {
  const text = `import '@duckdb/node-api'; import 'fastify';`;

  test('librariesStayWithTheirOwners finds a library outside its owner', () => {
    expect(rules.librariesStayWithTheirOwners(sample('results', text))).toEqual([
      'packages/results/src/sample.ts imports @duckdb/node-api, which is not for results',
      'packages/results/src/sample.ts imports fastify, which is not for results',
    ]);
  });

  test('librariesStayWithTheirOwners lets owners have theirs', () => {
    expect(
      rules.librariesStayWithTheirOwners(
        sample('service', `import 'fastify/types'; import '@fastify/swagger';`),
      ),
    ).toEqual([]);
    expect(
      rules.librariesStayWithTheirOwners(sample('engine-duckdb', `import '@duckdb/node-api';`)),
    ).toEqual([]);
  });
});

describe('arrowIsTwoTypes', () => {
  test('arrowIsTwoTypes finds other names, run-time imports, whole modules and re-exports', () => {
    const text = `import type { Schema, Field } from 'apache-arrow'; import { RecordBatch } from 'apache-arrow';
      import type * as all from 'apache-arrow'; export { Table } from 'apache-arrow/Arrow.node';`;
    expect(rules.arrowIsTwoTypes(sample('core', text))).toEqual([
      'packages/core/src/sample.ts imports Field of apache-arrow',
      'packages/core/src/sample.ts imports apache-arrow at run time',
      'packages/core/src/sample.ts imports * of apache-arrow',
      'packages/core/src/sample.ts imports Table of apache-arrow',
    ]);
  });

  test('arrowIsTwoTypes lets the two types pass, and all of it in results', () => {
    expect(
      rules.arrowIsTwoTypes(
        sample('core', `import { type Schema, type RecordBatch } from 'apache-arrow';`),
      ),
    ).toEqual([]);
    expect(
      rules.arrowIsTwoTypes(sample('results', `import { Table } from 'apache-arrow';`)),
    ).toEqual([]);
  });
});

describe('wireNamesStayAtTheEdge', () => {
  const text = `interface A { numRows: number } const brokerHost = { 'resultTable': 1 }; function f({ dataSchema }) {}`;

  test('wireNamesStayAtTheEdge finds members, variables, quoted properties and parameters', () => {
    expect(rules.wireNamesStayAtTheEdge(sample('results', text))).toEqual([
      'packages/results/src/sample.ts names brokerHost',
      'packages/results/src/sample.ts names dataSchema',
      'packages/results/src/sample.ts names numRows',
      'packages/results/src/sample.ts names resultTable',
    ]);
  });

  test('wireNamesStayAtTheEdge lets the edge have them, and everybody read the numRows of a batch', () => {
    expect(rules.wireNamesStayAtTheEdge(sample('api', text))).toEqual([]);
    expect(
      rules.wireNamesStayAtTheEdge(sample('results', `const rowCount = batch.numRows; // numRows`)),
    ).toEqual([]);
  });
});

describe('familiesAreNotCompared', () => {
  test('familiesAreNotCompared finds comparisons on both sides, and cases, and lets other names with the same text pass', () => {
    const text = `const a = engine.kind === 'pinot'; const b = 'embedded' !== kind;
      switch (settings.engine.kind) { case 'pinot': break; }
      const c = dialect === 'pinot'; const d = kind === 'file'; const e = { kind: 'pinot' };`;
    expect(rules.familiesAreNotCompared(sample('broker', text))).toEqual([
      "packages/broker/src/sample.ts:1 asks for 'pinot': ask the list of engines",
      "packages/broker/src/sample.ts:1 asks for 'embedded': ask the list of engines",
      "packages/broker/src/sample.ts:2 asks for 'pinot': ask the list of engines",
    ]);
  });
});

describe('sourcesAreShort', () => {
  test('sourcesAreShort finds long files and long functions', () => {
    expect(rules.sourcesAreShort(sample('core', lines(481)))).toEqual([
      'packages/core/src/sample.ts has 481 lines',
    ]);
    expect(
      rules.sourcesAreShort(sample('core', `f();\nclass A {\n  b() {\n${lines(104)}}\n}\n`)),
    ).toEqual(['packages/core/src/sample.ts:3 is a function of 106 lines']);
  });

  test('sourcesAreShort lets the limits pass', () => {
    expect(
      rules.sourcesAreShort(sample('core', `const f = () => {\n${lines(103)}};\n${lines(370)}`)),
    ).toEqual([]);
  });
});

test('timeIsInjected finds a bare new Date()', () => {
  const text = `const a = new Date(0);\nconst b = new Date();`;
  expect(rules.timeIsInjected(sample('core', text))).toEqual([
    'packages/core/src/sample.ts:2 reads the clock',
  ]);
});

test('builtinsHaveTheirPrefix finds a bare builtin', () => {
  const text = `import 'fs'; import 'node:fs'; import 'uuid';`;
  expect(rules.builtinsHaveTheirPrefix(sample('core', text))).toEqual([
    'packages/core/src/sample.ts imports fs without node:',
  ]);
});

test('a file that does not parse is an error, not an empty file', () => {
  expect(() => parseSourceFile('broken.ts', 'const = 1;')).toThrow('broken.ts');
});

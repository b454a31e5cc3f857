import { engines } from '@quire/settings/engines';
import { storeBackends } from '@quire/settings/store-backends';
import { type ESTree, parseSync, Visitor } from 'vite';
import { describe, expect, test } from 'vitest';
import { repositoryFiles, textOf } from './repository-files.ts';

/** The list of backends, which alone names them outside of their packages. */
const list = 'packages/settings/src/store-backends.ts';

/** A backend named after a provider's service, unlike `file` and `memory`. */
interface NamedBackend {
  readonly folder: string;
  readonly words: readonly string[];
}

const services: readonly NamedBackend[] = storeBackends
  .filter(({ isRemote }) => isRemote)
  .map(({ name, locations }) => ({
    folder: `packages/store-${name}/`,
    words: [...new Set([name, ...(locations?.schemes ?? [])])],
  }));

/** Texts and names of a source file that mention one of the words; comments may. */
function mentionsIn(path: string, text: string, words: readonly string[]): string[] {
  const found: string[] = [];
  const word = words.join('|');
  const inText = new RegExp(`(?<![\\w-])(?:${word})(?![\\w-])`, 'i');
  const inName = new RegExp(
    `^(?:${word})(?![a-z0-9])|(?:${word.replaceAll(/\b\w/g, (first) => first.toUpperCase())})(?![a-z0-9])`,
  );
  const add = (value: string, pattern: RegExp): void => {
    // Compiled modules in base64 are not words.
    if (value.length < 2000 && pattern.test(value)) found.push(`${path}: ${value.slice(0, 100)}`);
  };
  new Visitor({
    Literal: (node: ESTree.Node & { readonly value?: unknown }) => {
      if (typeof node.value === 'string') add(node.value, inText);
    },
    TemplateElement: (node) => add(node.value.raw, inText),
    JSXText: (node) => add(node.value, inText),
    Identifier: (node) => add(node.name, inName),
  }).visit(parseSync(path, text, { astType: 'ts' }).program);
  return found;
}

describe('backends of stores', () => {
  const files = repositoryFiles().filter((path) =>
    /^packages\/[^/]+\/(?:src|app)\/.*\.tsx?$/.test(path),
  );

  test.each(services)(
    'backends of stores: $words are named by $folder and the one list alone',
    ({ folder, words }) => {
      const others = files.filter((path) => !path.startsWith(folder) && path !== list);
      expect(others.length).toBeGreaterThan(500);
      expect(others.flatMap((path) => mentionsIn(path, textOf(path), words))).toEqual([]);
      const own = files.filter((path) => path === `${folder}src/backend.ts`);
      expect(own.flatMap((path) => mentionsIn(path, textOf(path), words))).not.toEqual([]);
    },
  );

  test('backends of stores have names, types, schemes and settings of their own', () => {
    for (const values of [
      storeBackends.map(({ name }) => name),
      storeBackends.map(({ storeType }) => storeType),
      storeBackends.map(({ title }) => title),
      storeBackends.flatMap(({ locations }) => locations?.schemes ?? []),
      storeBackends.flatMap(({ settings }) => Object.values(settings).map(({ key }) => key)),
    ]) {
      expect(new Set(values).size).toBe(values.length);
    }
  });
});

describe('engines', () => {
  test.each(engines.map(({ name, settings }) => ({ name, settings })))(
    'the settings of the engine $name are rows of one package, and no other source has their keys',
    ({ settings }) => {
      const keys = new Set(Object.values(settings).map(({ key }) => key));
      const owners = repositoryFiles()
        .filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path))
        .filter((path) => literalsIn(path, textOf(path)).some((text) => keys.has(text)));
      expect(owners).toEqual([expect.stringMatching(/^packages\/engine-\w+\/src\/settings\.ts$/)]);
    },
  );
});

function literalsIn(path: string, text: string): string[] {
  const found: string[] = [];
  new Visitor({
    Literal: (node: ESTree.Node & { readonly value?: unknown }) => {
      if (typeof node.value === 'string') found.push(node.value);
    },
  }).visit(parseSync(path, text, { astType: 'ts' }).program);
  return found;
}

test.each([
  [`const kind = 's3';`, true],
  ['const uri = `s3://${bucket}`;', true],
  [`import { S3Client } from 'x';`, true],
  ['openS3Store();', true],
  ['settings.s3;', true],
  ['// as in s3', false],
  [`const key = 'base-s3x';`, false],
])('a mention in %s: %j', (text, isOne) => {
  expect(mentionsIn('a.ts', text, ['s3']).length > 0).toBe(isOne);
});

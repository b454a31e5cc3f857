import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { builtPackages, describeWithTool, oldestNode } from '../testkit/toolchain.ts';
import { describeArrowHosts } from './arrow-hosts.ts';
import { testSignalsThroughNpx } from './npx-signals.ts';
import { testPackageSizes } from './package-sizes.ts';
import { PublishedPackages } from './published-packages.ts';
import { outputOf, readmePrograms } from './readme-programs.ts';
import { describeRollingUpgrade } from './rolling-upgrade.ts';
import { describeServerUpgrade } from './server-upgrade.ts';

vi.setConfig({ hookTimeout: 300_000 });

const root = join(import.meta.dirname, '../../..');
const nodeModules = join(root, 'node_modules');
const programs = readmePrograms(join(root, 'packages'));
/** Programs of other developers are compiled against our types, and run on our JavaScript. */
const strangers = ['stranger', 'arrow-host', 'upgrade-broker'];

describeWithTool(builtPackages, 'the published packages', (packages) => {
  let published: PublishedPackages;
  /** The compiler's output about all third-party programs, which others of these tests run. */
  let compilerOutput: string;

  beforeAll(async () => {
    published = await PublishedPackages.install(packages);
    const { folder } = published;
    for (const name of strangers) {
      await copyFile(join(import.meta.dirname, `${name}.process.ts`), join(folder, `${name}.ts`));
    }
    // A required module is loaded synchronously; one that is imported after it is resolved
    // differently.
    const loaded = published.entries.map(
      (entry) =>
        `if (!require('${entry}')) throw new Error('${entry}');\nawait import('${entry}');\n`,
    );
    const head = `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n`;
    await writeFile(join(folder, 'loads.mjs'), head + loaded.join(''));
    for (const { file, text } of programs) await writeFile(join(folder, file), text);
    // The dependencies of the third-party project: the types of Node, and Vitest for the
    // conformance suites.
    for (const each of ['@types', 'undici-types', 'vitest', '@vitest', 'fast-check']) {
      const link = join(folder, 'node_modules', each);
      if (!existsSync(link)) await symlink(join(nodeModules, each), link);
    }
    const lib = ['es2024', 'esnext.array', 'esnext.disposable'];
    const files = [...strangers.map((name) => `${name}.ts`), ...programs.map(({ file }) => file)];
    compilerOutput = await compile('tsconfig.json', { types: ['node'], lib }, files);
  });

  afterAll(() => {
    published[Symbol.dispose]();
  });

  async function compile(
    name: string,
    options: object,
    include: readonly string[],
    ...args: string[]
  ): Promise<string> {
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      module: 'nodenext',
      skipLibCheck: false,
      ...options,
    };
    await writeFile(join(published.folder, name), JSON.stringify({ compilerOptions, include }));
    const compiler = join(nodeModules, 'typescript/bin/tsc');
    // Several threads would check the same types of libraries again, in half as much processor time
    // more.
    return published
      .run(process.execPath, compiler, '-p', name, '--singleThreaded', ...args)
      .catch((error: unknown) => (error as { stdout: string }).stdout);
  }

  test('the published packages compile with a stranger who uses their types, and with the programs of all READMEs', async () => {
    expect(compilerOutput).toBe('');
  });

  test('the published packages leave Arrow, Node and their types to those who ask for them: the client needs none', async () => {
    await writeFile(
      join(published.folder, 'page.ts'),
      `export { QuireClient } from '@quire/client';\n`,
    );
    const options = { types: [], lib: ['es2024', 'dom', 'esnext.disposable'], noEmit: true };
    const files = await compile('tsconfig.page.json', options, ['page.ts'], '--listFiles');
    expect(files).toContain('@quire/client/dist/index.d.ts');
    expect(files).not.toMatch(/apache-arrow|@types\/node|error TS/);
  });

  test('the published packages have types that every way of importing finds', async () => {
    const problems: unknown[] = [];
    const modules = published.tarballs.filter(({ manifest }) => manifest.exports !== undefined);
    expect(modules.length).toBeGreaterThan(20);
    for (const { file } of modules) {
      const tarball = new Uint8Array(await readFile(join(published.folder, file)));
      const analysis = await checkPackage(createPackageFromTarballData(tarball));
      if (!analysis.types) problems.push([file, 'no types']);
      else problems.push(...analysis.problems.filter(isAProblem).map((problem) => [file, problem]));
    }
    expect(problems).toEqual([]);
  });

  test('the published packages bring a licence and the list of changes, and what some have beside their modules', () => {
    const common = ['LICENSE', 'CHANGELOG.md', 'README.md'];
    for (const { paths } of published.tarballs) {
      expect(paths).toEqual(expect.arrayContaining(common));
    }
    const pathsOf = (name: string) =>
      published.tarballs.find(({ manifest }) => manifest.name === name)?.paths;
    expect(pathsOf('@quire/cli')).toEqual(
      expect.arrayContaining([
        'config/README.md',
        'config/production.properties',
        'bundle/main.js',
        'bundle/LICENSES.txt',
      ]),
    );
    expect(pathsOf('@quire/results')).toContain('FORMAT.md');
    expect(pathsOf('@quire/console')).toEqual(
      expect.arrayContaining(['site/index.html', 'site/index.html.br']),
    );
    expect(pathsOf('@quire/api')).toEqual(
      expect.arrayContaining(['CONTRACT.md', 'SPECIFICATION.md', 'TABLES.md']),
    );
    // Entries of processes and threads, which no import names.
    expect(pathsOf('@quire/server')).toEqual(
      expect.arrayContaining([
        'dist/queries/query-kind.js',
        'dist/workers/worker-main.js',
        'dist/workers/watchdog-thread.js',
      ]),
    );
  });

  test('the published packages bring a command that tells an old Node what it needs, in words that an old Node can read', async () => {
    const command = 'node_modules/@quire/cli/bin/quire.cjs';
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.0'})`;
    await expect(
      published.run(process.execPath, '--import', old, command, '--help'),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: quire needs Node\.js 22\.22 or later, but this is v\S+ \(.*\)\.\n$/,
      ),
    });
    const text = await readFile(join(published.folder, command), 'utf8');
    expect(text).not.toMatch(/\bawait\b|\busing\b|\?\?|\?\.|[^']#[a-z]|\bat\(/);
  });

  test('the published packages bring a command whose bundle has the thread that encodes pages', async () => {
    // Without it, pages would be encoded in the main thread, which other tests would not notice.
    const script = `
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const file = './node_modules/@quire/cli/bundle/page-worker.js';
      const thread = new Worker(file, { execArgv: [] });
      const [message] = await once(thread, 'message');
      console.log(message.kind);
      await thread.terminate();`;
    const args = ['--input-type=module', '--eval', script];
    expect(await published.run(process.execPath, ...args)).toBe('ready\n');
  });

  const runs = (node: string): void => {
    test('the published packages can all be imported and required', async () => {
      expect(published.entries.length).toBeGreaterThan(11);
      expect(await published.run(node, 'loads.mjs')).toBe('');
    });

    test('the published packages run a query, store its result and serve a page of it', async () => {
      expect(await published.run(node, 'stranger.js')).toBe('[[2],[3]]\n');
    });

    test('the published packages bring the command', async () => {
      expect(
        await published.run(node, 'node_modules/@quire/cli/bin/quire.cjs', '--help'),
      ).toContain('Usage: quire');
    });
  };

  describe('on the Node of the project', () => {
    runs(process.execPath);
  });

  // Every other suite runs on the Node of the project.
  describeWithTool(oldestNode, 'on the oldest Node', (node) => {
    runs(node);

    test.each(programs.filter((each) => each.isRun).map((each) => each.file))(
      'the published packages on the oldest Node run the program of %s',
      async (file) => {
        expect(await published.run(node, file.replace('.ts', '.js'))).toMatch(outputOf(file));
      },
    );
  });

  describeArrowHosts(() => published);
  describeRollingUpgrade(() => published);
  describeServerUpgrade(() => published);
  testSignalsThroughNpx(() => published);
  testPackageSizes(() => published);

  test("the published packages run the conformance suites on a stranger's store", async () => {
    const folder = join(published.folder, 'suite');
    await mkdir(folder);
    const suite = programs.find(({ text }) => text.includes('describeObjectStore'));
    await writeFile(join(folder, 'my-store.test.ts'), suite?.text ?? '');
    const vitest = join(nodeModules, 'vitest/vitest.mjs');
    const output = await published.run(
      process.execPath,
      vitest,
      'run',
      '--root',
      folder,
      '--reporter',
      'default',
    );
    const [, passed] = /Tests +(\d+) passed/.exec(stripVTControlCharacters(output)) ?? [];
    expect(Number(passed)).toBeGreaterThan(100);
  });
});

/**
 * The packages are modules for a Node that can require modules, and TypeScript that reads
 * `exports`.
 */
function isAProblem({ kind, ...facts }: { readonly kind: string }): boolean {
  const isForOldTypeScript = 'resolutionKind' in facts && facts.resolutionKind === 'node10';
  return kind !== 'CJSResolvesToESM' && !isForOldTypeScript;
}

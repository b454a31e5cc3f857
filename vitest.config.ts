import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/summary-reporter.ts';

/** Workspaces resolve to their sources, in the tests and in the processes that the tests start. */
const sourceCondition = '@quire/source';

/**
 * Tests start hundreds of processes from the sources: what Node has compiled once, it finds here. A
 * start takes a third of the time.
 */
const compileCache = join(import.meta.dirname, 'node_modules/.cache/node-compile');

/** Files that replace modules: what they change must not reach other files, nor come too late. */
const replacesModules = '**/*.mocked.test.ts';

/** Servers of one package, with the packages below it, over HTTP in the process of the test. */
const integrationOfPackages = 'packages/*/test/**/*.integration.test.ts';

/** What a suite leaves out of the files that its patterns name. */
export function excludedFrom(name: string): string[] {
  if (name === 'unit') return [replacesModules, integrationOfPackages];
  return name === 'mocked' ? [] : [replacesModules];
}

/**
 * Suites whose files each get a process of their own. The files of others share one per worker:
 * most of the time that a small file takes goes into loading what the one before it had loaded.
 */
const isolated = ['mocked', 'faults'];

/**
 * Suites that ask other processes whether something has happened: each question takes as much of
 * the processor as a step of the answer.
 */
const withProcesses = ['conformance', 'faults', 'e2e', 'pinot'];

/**
 * The kinds of tests that need more than one package. A file's ending says its kind, its folder
 * what it is about.
 */
const kinds = [
  'rules',
  'conformance',
  'faults',
  'property',
  'model',
  'simulation',
  'budget',
  'judge',
  'e2e',
  'pinot',
];

/** One project per suite: its name and its files. test/README.md says what each is for. */
export const suites: Record<string, string[]> = {
  unit: ['packages/*/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
  mocked: ['packages/*/test/**/*.mocked.test.ts'],
  integration: [integrationOfPackages, 'test/src/*/*.integration.test.ts'],
  ...Object.fromEntries(kinds.map((kind) => [kind, [`test/src/*/*.${kind}.test.ts`]])),
};

/** What a suite starts once for all of its files. */
const globalSetups: Record<string, string[]> = { pinot: ['test/src/pinot/global-setup.ts'] };

export default defineConfig({
  // How long each file takes, by which the longest start first: beside what `npm ci` removes.
  cacheDir: '.cache/vite',
  test: {
    // Modules that were transformed before are found on the disk.
    fsModuleCache: true,
    reporters: ['default', new SummaryReporter()],
    // Most suites wait for processes of theirs: on two cores, four files at a time leave a sixth of
    // the processor idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    projects: Object.entries(suites).map(([name, include]) => ({
      ssr: { resolve: { conditions: [sourceCondition, 'node'] } },
      test: {
        fsModuleCache: true,
        name,
        include,
        exclude: ['**/node_modules/**', ...excludedFrom(name)],
        isolate: isolated.includes(name),
        pool: 'forks',
        // These end a test that hangs, and say nothing about speed: a loaded machine may take many
        // times as long as a quiet one.
        testTimeout: 300_000,
        hookTimeout: 300_000,
        expect: { poll: { timeout: 120_000, interval: withProcesses.includes(name) ? 100 : 20 } },
        setupFiles: ['./scripts/processor-time.ts', './scripts/fixed-seed.ts'],
        globalSetup: globalSetups[name] ?? [],
        env: { NODE_OPTIONS: `--conditions=${sourceCondition}`, NODE_COMPILE_CACHE: compileCache },
      },
    })),
  },
});

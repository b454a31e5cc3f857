/**
 * Runs the tests of third-party clients, and writes those that ran and passed into the table of
 * packages/client/README.md.
 *
 *     npm run compatibility
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compatibilities, rowOf, tableMarks } from '../test/src/client/compatibility.ts';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly status: string;
    }[];
  }[];
}

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'quire-compatibility-'));
try {
  const output = join(folder, 'report.json');
  const files = [...new Set(compatibilities.map(({ file }) => file))];
  spawnSync('npx', ['vitest', 'run', '--reporter=json', `--outputFile=${output}`, ...files], {
    cwd: root,
    stdio: 'inherit',
  });
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  const rows = compatibilities.filter(({ file, suite }) => {
    const results = testResults
      .filter(({ name }) => name.endsWith(file))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ ancestorTitles }) => ancestorTitles.includes(suite));
    return results.length > 0 && results.every(({ status }) => status === 'passed');
  });
  const path = join(root, 'packages/client/README.md');
  const readme = readFileSync(path, 'utf8');
  const [before = '', rest = ''] = readme.split(tableMarks[0]);
  const [, after = ''] = rest.split(tableMarks[1]);
  const table = [
    '| client | version | tested | result |',
    '| --- | --- | --- | --- |',
    ...rows.map(rowOf),
  ].join('\n');
  writeFileSync(path, `${before}${tableMarks[0]}\n\n${table}\n\n${tableMarks[1]}${after}`);
  spawnSync('npx', ['oxfmt', path], { cwd: root, stdio: 'inherit' });
  console.log(`${rows.length} of ${compatibilities.length} clients ran.`);
  if (rows.length < compatibilities.length) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

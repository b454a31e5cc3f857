import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { describeWithTool, openApiPython } from '../testkit/toolchain.ts';

/** Clients that generators make of the API document. */

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../generated-clients/submit_page_delete.py');

describeWithTool(openApiPython, 'The client that openapi-python-client generates', (programs) => {
  test('has every call, and submits, pages and deletes', async () => {
    await using broker = await TestBroker.start();
    const folder = await mkdtemp(join(tmpdir(), 'quire-generated-'));
    try {
      const document = join(folder, 'openapi.json');
      await writeFile(document, (await broker.call('/openapi.json')).text);
      const made = ['generate', '--path', document, '--output-path', join(folder, 'quire_client'), '--meta', 'none'];
      const { stdout, stderr } = await run(join(programs, 'openapi-python-client'), made);
      expect(stdout + stderr).not.toMatch(/WARNING parsing|Unable to/);
      await copyFile(program, join(folder, 'program.py'));
      const answer = await run(join(programs, 'python'), [
        join(folder, 'program.py'),
        broker.address.url,
        'ann-token',
        'rows 10',
      ]);
      expect(JSON.parse(answer.stdout)).toEqual([10, expectedRows(0, 2), expectedRows(3, 5), true, 'RESULT_DELETED']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function expectedRows(start: number, end: number): unknown {
  return Array.from({ length: end - start }, (_, index) => [start + index, expect.any(Number), `row ${start + index}`]);
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { cannedEngine, cannedNames, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';
import { describeWithTool, schemathesis } from '../testkit/toolchain.ts';

/**
 * Calls the operations of the API documents with valid and invalid values: no answer is a failure
 * of the server, and each has a status, headers, a type and a body that the document describes.
 */

const run = promisify(execFile);
/** The seconds for which each server is called, for a long run. */
const seconds = process.env['QUIRE_FUZZ_SECONDS'];
const short = [
  '--phases',
  'fuzzing',
  '--max-examples',
  '2',
  '--seed',
  '17',
  '--generation-deterministic',
];
const long = [
  '--phases',
  'examples,coverage,fuzzing',
  '--max-time',
  seconds ?? '',
  '--continue-on-failure',
];
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

describeWithTool(schemathesis, 'Schemathesis', (python) => {
  /** Returns its output if it has found something. */
  const findings = async (
    url: string,
    names: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-schemathesis-'));
    try {
      const config = join(folder, 'schemathesis.toml');
      // Existing resources are read by their names; invented ones are deleted.
      const lines = Object.entries(names).map(
        ([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`,
      );
      await writeFile(
        config,
        ['[[operations]]', 'include-method = "GET"', '[operations.parameters]', ...lines, ''].join(
          '\n',
        ),
      );
      // A controller without a file of settings answers 501 there.
      const given = [
        '--header',
        'Authorization: Bearer root-token',
        '--checks',
        checks.join(','),
        '--no-shrink',
        '--exclude-path',
        '/cluster/settings',
        '--no-color',
      ];
      const options = [...given, ...(seconds === undefined ? short : long)];
      await run(
        python,
        [
          '-m',
          'schemathesis.cli',
          '--config-file',
          config,
          'run',
          `${url}/openapi.json`,
          ...options,
        ],
        {
          cwd: folder,
        },
      );
      return '';
    } catch (error) {
      return String((error as { readonly stdout?: unknown }).stdout ?? error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const timeout = 240_000 + Number(seconds ?? 60) * 2000;

  test('Schemathesis finds no fault with a broker', { timeout }, async () => {
    await using broker = await TestBroker.start();
    const stored = await broker.call('/query/sql?doPaginate=true', {
      method: 'POST',
      as: 'root',
      body: '{"sql":"rows 10"}',
    });
    expect(await findings(broker.address.url, { requestId: stored.json().requestId })).toBe('');
  });

  test('Schemathesis finds no fault with a controller', { timeout }, async () => {
    await using broker = await TestBroker.start();
    await using controller = await TestController.start([broker.address.url], {
      tables: { engine: cannedEngine, restreams: cannedRestreams },
      preview: { bodyBytesMax: 4096, limits: {}, concurrencyMax: 1 },
    });
    const names = { ...cannedNames, tenantName: 'DefaultTenant' };
    expect(await findings(controller.address.url, names)).toBe('');
  });
});

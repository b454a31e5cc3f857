import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { TestController } from '../testkit/controller-server.ts';
import {
  describeWithTool,
  openApiGenerators,
  openApiPython,
  openApiTypescript,
} from '../testkit/toolchain.ts';
import { clientOf, type Language } from './generated-clients.ts';

/** Clients that generators make of the API documents. */

const run = promisify(execFile);
const programs = join(import.meta.dirname, '../../generated-clients');
const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc');

let broker: TestBroker;
let folder: string;
/** Files with the API documents. */
let documents: { readonly broker: string; readonly controller: string };

beforeAll(async () => {
  broker = await TestBroker.start();
  folder = await mkdtemp(join(tmpdir(), 'quire-generated-'));
  documents = { broker: join(folder, 'broker.json'), controller: join(folder, 'controller.json') };
  await writeFile(documents.broker, (await broker.call('/openapi.json')).text);
  await using controller = await TestController.start([broker.address.url], {
    preview: { bodyBytesMax: 4096, limits: {}, concurrencyMax: 1 },
  });
  await writeFile(documents.controller, await (await controller.call('/openapi.json')).text());
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/**
 * The output of each program: it runs a query of ten rows, and requests its first rows, two others,
 * its end, and a page after that.
 */
const printed = [10, expectedRows(0, 2), expectedRows(3, 5), true, 'RESULT_DELETED'];

function expectedRows(start: number, end: number): unknown {
  return Array.from({ length: end - start }, (_, index) => [
    start + index,
    expect.any(Number),
    `row ${start + index}`,
  ]);
}

describeWithTool(openApiPython, 'The client that openapi-python-client generates', (python) => {
  const generate = async (document: string, name: string): Promise<string> => {
    const made = [
      '-m',
      'openapi_python_client',
      'generate',
      '--path',
      document,
      '--output-path',
      join(folder, name),
      '--meta',
      'none',
    ];
    const { stdout, stderr } = await run(python, made);
    return stdout + stderr;
  };

  test('The client that openapi-python-client generates has every call of a broker, and submits, pages and deletes', async () => {
    expect(await generate(documents.broker, 'quire_client')).not.toMatch(/WARNING|Unable to/);
    const program = join(folder, 'program.py');
    await copyFile(join(programs, 'submit_page_delete.py'), program);
    const { stdout } = await run(python, [program, broker.address.url, 'ann-token', 'rows 10']);
    expect(JSON.parse(stdout)).toEqual(printed);
  });

  test('The client that openapi-python-client generates has every call of a controller, with its answers', async () => {
    expect(await generate(documents.controller, 'quire_controller')).not.toMatch(
      /WARNING|Unable to/,
    );
  });
});

/** Must compile, except for what is marked as wrong; then it runs. */
const typedProgram = `
import createClient from 'openapi-fetch';
import type { paths } from './broker.ts';
import type { operations } from './controller.ts';

declare const process: { readonly argv: readonly string[] };
const [baseUrl = '', token = '', sql = ''] = process.argv.slice(2);
const client = createClient<paths, 'application/json'>({ baseUrl, headers: { authorization: 'Bearer ' + token } });

const { data: first, error } = await client.POST('/query/sql', { params: { query: { doPaginate: true, numRows: 2 } }, body: { sql } });
if (first === undefined || !('nextOffsetParams' in first)) throw new Error(JSON.stringify(first ?? error));
const path = { requestId: first.requestId };
const page = await client.GET('/query/{requestId}/results', { params: { path, query: { offset: 3, numRows: 2 } } });
if (page.data === undefined || !('resultTable' in page.data)) throw new Error(JSON.stringify(page));
const rows: readonly (readonly unknown[])[] | undefined = page.data.resultTable.rows;
const deleted = await client.DELETE('/query/resultStore/{requestId}', { params: { path }, parseAs: 'text' });
const gone = await client.GET('/query/{requestId}/results', { params: { path, query: { offset: 0 } } });
const text: string = String(deleted.data);
console.log(JSON.stringify([first.numRowsResultSet, first.resultTable?.rows, rows, text.endsWith('deleted.'), gone.error?.reason]));

type Body<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Json } } };
}
  ? Json
  : never;
export const isValid = (verdict: Body<'validateTable'>): boolean => verdict.valid;
export const nameOf = (verdict: Body<'validateTableConfigs'>): string | null | undefined => verdict.schema?.schemaName;
export function wrong(verdict: Body<'validateSchema'>): void {
  // @ts-expect-error: the offset must be given
  void client.GET('/query/{requestId}/results', { params: { path, query: {} } });
  // @ts-expect-error: there is no such member
  void verdict.nothing;
}
`;

describeWithTool(openApiTypescript, 'The types that openapi-typescript generates', (modules) => {
  test('The types that openapi-typescript generates hold a program that submits, pages and deletes, and the answers of a controller', async () => {
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: [],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    };
    const program = join(folder, 'program.ts');
    await Promise.all([
      ...(['broker', 'controller'] as const).map((name) =>
        run(process.execPath, [
          join(modules, 'openapi-typescript/bin/cli.js'),
          documents[name],
          '--output',
          join(folder, `${name}.ts`),
        ]),
      ),
      symlink(modules, join(folder, 'node_modules')),
      writeFile(join(folder, 'package.json'), '{"type": "module"}'),
      writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['program.ts'] }),
      ),
      writeFile(program, typedProgram),
    ]);
    const compiled = await run(tsc, ['-p', folder]).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, [
      program,
      broker.address.url,
      'ann-token',
      'rows 10',
    ]);
    expect(JSON.parse(stdout)).toEqual(printed);
  });
});

const languages: readonly (readonly [Language, string])[] = [
  ['go', 'The client for Go that openapi-generator makes'],
  ['java', 'The client for Java that openapi-generator makes'],
  ['python', 'The client for Python that openapi-generator makes'],
];

for (const [language, suite] of languages) {
  describeWithTool(openApiGenerators[language], suite, (tool) => {
    // It is generated from the current document by .ci/run, or here.
    test(
      'a client that openapi-generator makes compiles, submits, pages and deletes',
      { timeout: 300_000 },
      async () => {
        const [program, ...given] = await clientOf(
          language,
          (await broker.call('/openapi.json')).text,
          tool,
        );
        const { stdout } = await run(program, [
          ...given,
          broker.address.url,
          'ann-token',
          'rows 10',
        ]);
        expect(JSON.parse(stdout)).toEqual(printed);
      },
    );
  });
}

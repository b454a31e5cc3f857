import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { fakeRequestId, startFakeBroker } from './fake-broker.ts';
import { FakeEnvironment, type FakeOptions } from './fake-environment.ts';

/** Runs a command to its end. */
/** The arguments of a query that prints tables, page by page. */
function tableQuery(
  url: string,
  { pageSize, offset }: { readonly pageSize: number; readonly offset: number },
): readonly string[] {
  const paging = ['--page-size', String(pageSize), '--offset', String(offset)];
  return ['query', '--url', url, '--format', 'table', ...paging, 'SELECT 1'];
}

async function run(args: readonly string[], options?: FakeOptions) {
  const environment = new FakeEnvironment(options);
  const exitCode = await runCommand(args, environment);
  return {
    exitCode,
    stdout: environment.stdout.text,
    stderr: environment.stderr.text,
    isListenedTo: environment.isListenedTo,
  };
}

const results = `/query/${fakeRequestId}/results`;

describe('quire query in a pipe', () => {
  it('quire query in a pipe writes every row as a line of tabbed cells, page after page', async () => {
    await using broker = await startFakeBroker(9);
    const lines = Array.from({ length: 9 }, (_, n) => `${n}\trow ${n}\n`).join('');
    expect(await run(['query', '--url', broker.url, 'SELECT 1'])).toEqual({
      exitCode: 0,
      stdout: lines,
      stderr: '',
      isListenedTo: false,
    });
    expect(broker.calls).toEqual([
      'POST /query/sql?doPaginate=true&async=true&wait=0ms',
      `GET ${results}?offset=4`,
      `GET ${results}?offset=8&numRows=1`,
    ]);
  });

  it('quire query in a pipe begins with the names when asked, and writes only the rows that are wanted, by pages of the size that is wanted', async () => {
    await using broker = await startFakeBroker(100);
    const options = ['--header', '--rows', '5', '--offset', '7', '--page-size', '2'];
    const { stdout } = await run(['query', '--url', broker.url, ...options, 'SELECT 1']);
    expect(stdout).toBe('n\ttext\n7\trow 7\n8\trow 8\n9\trow 9\n10\trow 10\n11\trow 11\n');
    expect(broker.calls).toEqual([
      'POST /query/sql?doPaginate=true&async=true&numRows=1&wait=0ms',
      `GET ${results}?offset=7&numRows=2`,
      `GET ${results}?offset=9&numRows=2`,
      `GET ${results}?offset=11&numRows=1`,
    ]);
  });

  it('quire query in a pipe writes nothing for no rows', async () => {
    await using broker = await startFakeBroker(0);
    expect((await run(['query', '--url', broker.url, 'SELECT 1'])).stdout).toBe('');
  });

  it.each([
    [['--json'], 'ndjson'],
    [['--format', 'csv'], 'csv'],
    [['--format', 'json'], 'json'],
  ])('quire query in a pipe with %j passes on what the server sends', async (options, format) => {
    await using broker = await startFakeBroker(6);
    const { stdout } = await run([
      'query',
      '--url',
      broker.url,
      ...options,
      '--offset',
      '3',
      'SELECT 1',
    ]);
    const head = format === 'csv' ? 'n\n' : '';
    expect(stdout).toBe(`${head}${format} 3\n${format} 4\n${format} 5\n`);
    expect(broker.calls).toEqual([
      // A JSON document is one page, which is requested once its number of rows is known.
      `POST /query/sql?doPaginate=true${format === 'json' ? '&numRows=1' : '&async=true&numRows=1&wait=0ms'}`,
      `GET ${results}?offset=3&numRows=${format === 'json' ? 3 : 1000}&format=${format}`,
    ]);
  });

  it('quire query in a pipe with --format table aligns all pages by the first', async () => {
    await using broker = await startFakeBroker(11);
    const { stdout } = await run(tableQuery(broker.url, { pageSize: 10, offset: 5 }));
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      ' n  text',
      '──  ──────',
      ' 5  row 5',
      ' 6  row 6',
    ]);
  });

  it('quire query in a pipe with --format table cuts texts of later pages, and no numbers', async () => {
    await using broker = await startFakeBroker(11);
    const { stdout } = await run(tableQuery(broker.url, { pageSize: 2, offset: 7 }));
    expect(stdout).toBe(
      ['n  text', '─  ─────', '7  row 7', '8  row 8', '9  row 9', '10  row …', ''].join('\n'),
    );
  });

  it('quire query in a pipe tells of a failed query on standard error, with its code', async () => {
    const exceptions = [{ errorCode: 190, message: 'There is no table nowhere.' }];
    await using broker = await startFakeBroker(0, () => ({ body: { exceptions } }));
    expect(await run(['query', '--url', broker.url, 'SELECT 1'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error TABLE_NOT_FOUND: There is no table nowhere.\n',
      isListenedTo: false,
    });
  });

  it('quire query in a pipe lets nothing of a message act on the terminal', async () => {
    const exceptions = [{ errorCode: 200, message: 'bad \u001b[2J\u0007' }];
    await using broker = await startFakeBroker(0, () => ({ body: { exceptions } }));
    expect((await run(['query', '--url', broker.url, 'SELECT 1'])).stderr).toBe(
      'error QUERY_FAILED: bad \\x1b[2J\\x07\n',
    );
  });

  it('quire query in a pipe ends quietly when nobody reads any more', async () => {
    await using broker = await startFakeBroker(100);
    const { exitCode, stderr } = await run(['query', '--url', broker.url, 'SELECT 1'], {
      writesUntilClosed: 1,
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(broker.calls.length).toBeLessThan(4);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'quire query in a pipe cancels the query on %s',
    async (signal) => {
      const asked = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      await using broker = await startFakeBroker(0, (request) => {
        asked.resolve();
        ended.resolve(once(request.socket, 'close').then(() => undefined));
        return undefined;
      });
      const environment = new FakeEnvironment();
      const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
      await asked.promise;
      environment.signal(signal);
      // The id of the query may still arrive, which allows the cancellation; the command does not
      // wait for a server that hangs.
      await environment.clock.untilSleeping();
      await environment.clock.advance(2000);
      expect([await running, environment.stderr.text]).toEqual([1, 'Cancelled.\n']);
      await ended.promise;
    },
  );
});

describe('where the query and its server come from', () => {
  it('quire query reads SQL from standard input when there is no argument', async () => {
    let sql = '';
    await using broker = await startFakeBroker(1, (request) => {
      request.on('data', (chunk) => (sql += String(chunk)));
      return 'rows';
    });
    await run(['query', '--url', broker.url], { stdin: 'SELECT 2\n' });
    expect(JSON.parse(sql)).toEqual({ sql: 'SELECT 2\n' });
  });

  it('quire query sends the token, or the name and password', async () => {
    await using broker = await startFakeBroker(1);
    const url = ['--url', broker.url];
    await run(['query', ...url, '--token', 'abc', 'SELECT 1']);
    await run(['query', ...url, '--user', 'zoë:p:w', 'SELECT 1']);
    await run(['query', 'SELECT 1'], {
      variables: { QUIRE_URL: broker.url, QUIRE_TOKEN: 'from-environment' },
    });
    await run(['query', ...url, 'SELECT 1']);
    await run(['query', ...url, 'SELECT 1'], { variables: { QUIRE_TOKEN: '' } });
    expect(broker.authorizations).toEqual([
      'Bearer abc',
      `Basic ${Buffer.from('zoë:p:w').toString('base64')}`,
      'Bearer from-environment',
      undefined,
      undefined,
    ]);
  });

  it('quire query does not repeat a password in the address of the server', async () => {
    const { exitCode, stderr } = await run(['query', 'SELECT 1'], {
      variables: { QUIRE_URL: 'http://ann:hush@127.0.0.1:8099' },
    });
    expect([exitCode, stderr]).toEqual([
      1,
      'error INVALID_PARAMETER: The address http://127.0.0.1:8099 contains credentials; give them separately, as a token or as a user and a password.\n',
    ]);
  });

  it('quire query says what to do when no server answers, and when it wants to know who calls', async () => {
    const broker = await startFakeBroker(0);
    await broker[Symbol.asyncDispose]();
    const { exitCode, stderr } = await run(['query', '--url', broker.url, 'SELECT 1']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error SERVER_UNREACHABLE: No answer from .*ECONNREFUSED.*\n.*'quire start' starts one/,
    );
    await using strict = await startFakeBroker(0, () => ({
      status: 401,
      body: { code: 401, error: 'Who calls?', reason: 'UNAUTHENTICATED' },
    }));
    expect((await run(['query', '--url', strict.url, 'SELECT 1'])).stderr).toBe(
      'error UNAUTHENTICATED: Who calls?\nGive --token or --user, or set QUIRE_TOKEN.\n',
    );
  });
});

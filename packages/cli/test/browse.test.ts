import { describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { fakeRequestId, startFakeBroker } from './fake-broker.ts';
import { FakeEnvironment } from './fake-environment.ts';

const terminal = { columns: 100, rows: 8 };
const noColours = { NO_COLOR: '1' };

/** Returns the lines of a screen, without the codes that position them. */
function linesOf(screen: string): string[] {
  // oxlint-disable-next-line no-control-regex -- these are the codes to remove
  return screen.replace(/\u001b\[[?\d]*[A-Za-z]/g, '').split('\r\n');
}

/** Returns the status of a query without rows. */
function statusOf(state: string) {
  return {
    requestId: fakeRequestId,
    brokerId: 'b',
    state,
    numRowsResultSet: 0,
    sizeBytes: 0,
    timeUsedMs: 1,
    submissionTimeMs: 1,
    exceptions: [],
  };
}

describe('a result on a terminal', () => {
  it('a result on a terminal that fits on the screen is printed, and nothing waits for keys', async () => {
    await using broker = await startFakeBroker(2);
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    expect(await runCommand(['query', '--url', broker.url, 'SELECT 1'], environment)).toBe(0);
    expect(environment.stdout.text).toBe(
      `n  text\n─  ─────\n0  row 0\n1  row 1\n2 rows · 1 ms · result ${fakeRequestId}\n`,
    );
    expect(environment.isListenedTo).toBe(false);
  });

  it('a result on a terminal that is larger is moved through by keys; the last page stays when the pager is left', async () => {
    await using broker = await startFakeBroker(1000);
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    expect(linesOf(await environment.stdout.lastWith('rows 1–5 of 1,000'))).toEqual([
      'n  text',
      '─  ─────',
      '0  row 0',
      '1  row 1',
      '2  row 2',
      '3  row 3',
      '4  row 4',
      'rows 1–5 of 1,000 · page size 5 · 1 ms   n next  p previous  g go to  ? help  q quit',
    ]);
    environment.press('n');
    await environment.stdout.lastWith('rows 6–10 of 1,000 · page size 5 · 1 ms');
    environment.press('g', '9', '9', '8', 'return');
    expect(linesOf(await environment.stdout.lastWith('rows 998–1,000')).slice(2, 5)).toEqual([
      '997  row 997',
      '998  row 998',
      '999  row 999',
    ]);
    environment.press('q');
    expect(await running).toBe(0);
    expect(environment.stdout.text.split('\u001b[?1049l')[1]).toBe(
      `  n  text\n───  ───────\n997  row 997\n998  row 998\n999  row 999\nrows 998–1,000 of 1,000 · 1 ms · result ${fakeRequestId}\n`,
    );
    expect(environment.isListenedTo).toBe(false);
  });

  it('a result on a terminal opens while its query runs, tells how many rows there are, and goes on when it fails', async () => {
    const status = {
      requestId: fakeRequestId,
      brokerId: 'b',
      sizeBytes: 1,
      timeUsedMs: 1,
      submissionTimeMs: 1,
      exceptions: [],
    };
    const states = [
      { ...status, state: 'RUNNING', numRowsResultSet: 2000 },
      {
        ...status,
        state: 'FAILED',
        numRowsResultSet: 0,
        exceptions: [{ errorCode: 200, message: 'It ran into a wall.' }],
      },
    ];
    const dataSchema = { columnNames: ['n'], columnDataTypes: ['LONG'] };
    const rows = [[0], [1], [2], [3], [4]];
    const page = {
      ...status,
      resultTable: { dataSchema, rows },
      offset: 0,
      numRowsResultSet: 300,
      state: 'RUNNING',
    };
    await using broker = await startFakeBroker(0, ({ method, url }) => {
      if (method === 'POST') {
        return { status: 202, body: { ...status, state: 'QUEUED', numRowsResultSet: 0 } };
      }
      return { body: url?.includes('/results') === true ? page : states.shift() };
    });
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('rows 1–5 of 300 so far, running …');
    await environment.clock.advance(500);
    await environment.stdout.lastWith('rows 1–5 of 2,000 so far, running …');
    await environment.clock.untilSleeping();
    await environment.clock.advance(500);
    await environment.stdout.lastWith('It ran into a wall.');
    environment.press('q');
    expect(await running).toBe(0);
    expect(broker.calls[0]).toBe('POST /query/sql?doPaginate=true&async=true&numRows=5&wait=0ms');
  });

  it.each([
    ['its first rows are waited for', 'GET'],
    ['its id is not known yet', 'POST'],
  ])('a result on a terminal is cancelled by Ctrl-C while %s', async (_when, interrupted) => {
    const body = statusOf('RUNNING');
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    await using broker = await startFakeBroker(0, ({ method }) => {
      if (method === interrupted) environment.signal('SIGINT');
      return method === 'GET' ? undefined : { status: method === 'POST' ? 202 : 200, body };
    });
    expect(await runCommand(['query', '--url', broker.url, 'SELECT 1'], environment)).toBe(1);
    expect(broker.calls.at(-1)).toBe(`DELETE /query/${fakeRequestId}`);
  });

  it('a result on a terminal waits for a server that does not answer to Ctrl-C, but not for long', async () => {
    const cancelled = Promise.withResolvers<void>();
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    await using broker = await startFakeBroker(0, ({ method }) => {
      if (method === 'POST') return { status: 202, body: statusOf('RUNNING') };
      if (method === 'GET') environment.signal('SIGINT');
      else cancelled.resolve();
      return undefined;
    });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    const ended = running.then(() => environment.clock.monotonicMs());
    await cancelled.promise;
    await environment.clock.advance(60_000);
    expect([await running, await ended]).toEqual([1, 2000]);
  });

  it('a result on a terminal stays on its page, and says why, when another page does not come', async () => {
    await using broker = await startFakeBroker(1000, (request) =>
      request.method === 'POST'
        ? 'rows'
        : { status: 410, body: { code: 410, error: 'It has expired.', reason: 'RESULT_EXPIRED' } },
    );
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('q quit');
    environment.press('n');
    expect(linesOf(await environment.stdout.lastWith('It has expired.')).slice(2)).toEqual([
      '0  row 0',
      '1  row 1',
      '2  row 2',
      '3  row 3',
      '4  row 4',
      'It has expired.',
    ]);
    environment.press('q');
    expect(await running).toBe(0);
  });

  it('a result on a terminal gives up a page that is on its way at Ctrl-C, and goes on', async () => {
    const asked = Promise.withResolvers<void>();
    await using broker = await startFakeBroker(1000, (request) => {
      if (request.method === 'POST') return 'rows';
      asked.resolve();
      return undefined;
    });
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('q quit');
    environment.press('n');
    await asked.promise;
    environment.press('ctrl+c');
    await environment.stdout.lastWith('Cancelled.');
    environment.press('ctrl+c');
    expect(await running).toBe(0);
  });

  it('a result on a terminal fits a new size of the terminal', async () => {
    await using broker = await startFakeBroker(1000);
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('q quit');
    environment.stdout.resize(30, 6);
    const screen = linesOf(await environment.stdout.lastWith('rows 1–3 of 1,000'));
    expect([screen.length, screen.every((line) => line.length <= 30)]).toEqual([6, true]);
    environment.press('q');
    await running;
  });

  it('a result on a terminal gives the terminal back when it is asked to terminate', async () => {
    await using broker = await startFakeBroker(1000);
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('q quit');
    environment.signal('SIGTERM');
    expect(await running).toBe(0);
    expect(environment.stdout.text).toContain('\u001b[?25h\u001b[?1049l');
  });

  it('a result on a terminal gives up a page that is on its way when it is asked to terminate', async () => {
    const asked = Promise.withResolvers<void>();
    await using broker = await startFakeBroker(1000, (request) => {
      if (request.method === 'POST') return 'rows';
      asked.resolve();
      return undefined;
    });
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await environment.stdout.lastWith('q quit');
    environment.press('n', 'g');
    await asked.promise;
    environment.signal('SIGTERM');
    expect(await running).toBe(0);
  });

  it('a result on a terminal is printed without the pager when rows are counted, or when keys cannot be read', async () => {
    await using broker = await startFakeBroker(1000);
    const counted = new FakeEnvironment({ terminal, variables: noColours });
    await runCommand(['query', '--url', broker.url, '--rows', '2', 'SELECT 1'], counted);
    expect(counted.stdout.text.split('\n').slice(2, 5)).toEqual([
      '0  row 0',
      '1  row 1',
      `rows 1–2 of 1,000 · 1 ms · result ${fakeRequestId}`,
    ]);
    const piped = new FakeEnvironment({ terminal, variables: noColours, stdin: 'SELECT 1' });
    await runCommand(['query', '--url', broker.url], piped);
    expect(piped.stdout.text).toContain('rows 1–5 of 1,000');
    expect(piped.stdout.text).not.toContain('\u001b');
  });

  it('a result on a terminal has colours, unless NO_COLOR or a dumb terminal forbids them', async () => {
    await using broker = await startFakeBroker(1);
    const print = async (variables: Record<string, string>): Promise<string> => {
      const environment = new FakeEnvironment({ terminal, variables });
      await runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
      return environment.stdout.text;
    };
    expect(await print({})).toContain('\u001b[1m');
    expect(await print({ NO_COLOR: '1' })).not.toContain('\u001b');
    expect(await print({ TERM: 'dumb' })).not.toContain('\u001b');
  });
});

describe('the progress display', () => {
  it('the progress display turns on standard error while the query runs, and is wiped away', async () => {
    const asked = Promise.withResolvers<void>();
    await using broker = await startFakeBroker(1, () => {
      asked.resolve();
      return undefined;
    });
    const environment = new FakeEnvironment({ terminal, variables: noColours });
    const running = runCommand(['query', '--url', broker.url, 'SELECT 1'], environment);
    await asked.promise;
    for (let turn = 0; turn < 15; turn += 1) await environment.clock.advance(100);
    await environment.stderr.lastWith('⠼ running  1.5 s   Ctrl-C cancels');
    environment.signal('SIGINT');
    // The id of the query is waited for, to cancel it.
    await environment.clock.advance(2000);
    expect(await running).toBe(1);
    expect(environment.stderr.text.endsWith('\r\u001b[KCancelled.\n')).toBe(true);
  });
});

import { expect, test } from 'vitest';
import { SheetRunner } from '../app/query/sheet-runner.ts';

type Clients = ConstructorParameters<typeof SheetRunner>;

const statement = (sql: string) => ({ sql, from: 0 });
const resultOf = (requestId: string) => ({ requestId, columns: [], totalRowCount: 1 });
const ignore = (): void => undefined;

/** A runner whose queries end at once, except those that contain "slow". */
function runnerOf() {
  const cancelled: string[] = [];
  const isAsked = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<{ readonly state: string; readonly rowCount: number }>();
  let number = 0;
  const start = (sql: string) => {
    number += 1;
    const requestId = `R${number}`;
    const isGrowing = sql.includes('slow');
    return Promise.resolve({
      requestId,
      isGrowing,
      page: isGrowing ? undefined : resultOf(requestId),
      status: ({ signal }: { readonly signal: AbortSignal }) => {
        signal.addEventListener('abort', () => slow.reject(signal.reason));
        isAsked.resolve();
        return slow.promise;
      },
      result: () => Promise.resolve(resultOf(requestId)),
      cancel: () => Promise.resolve(cancelled.push(requestId)),
    });
  };
  const client = { open: (requestId: string) => Promise.resolve(resultOf(requestId)) };
  return {
    runner: new SheetRunner(client as unknown as Clients[0], { start } as unknown as Clients[1]),
    cancelled,
    isAsked: isAsked.promise,
    endSlow: () => slow.resolve({ state: 'DONE', rowCount: 1 }),
  };
}

const shownIn = (runner: SheetRunner) => {
  const { parts, selected } = runner.read();
  const state = parts[selected]?.state;
  return state?.kind === 'done' ? state.result.requestId : state?.kind;
};

test('returning to a sheet leaves its running query, and its earlier results are opened later', async () => {
  const { runner, cancelled, isAsked, endSlow } = runnerOf();
  await runner.run([statement('SELECT 1')], ignore);
  expect(shownIn(runner)).toBe('R1');
  const run = runner.run([statement('SELECT slow')], ignore);
  await isAsked;
  await runner.open('R1');
  expect([shownIn(runner), runner.isRunning()]).toEqual(['running', true]);
  endSlow();
  await run;
  expect([shownIn(runner), runner.isRunning(), cancelled]).toEqual(['R2', false, []]);
  await runner.open('R1');
  expect(shownIn(runner)).toBe('R1');
});

test('while a statement runs, the results of those before it are shown', async () => {
  const { runner, cancelled, isAsked, endSlow } = runnerOf();
  const run = runner.run([statement('SELECT 1'), statement('SELECT slow')], ignore);
  await isAsked;
  await runner.open('R1');
  expect(shownIn(runner)).toBe('R1');
  endSlow();
  await run;
  expect([runner.read().parts.length, cancelled]).toEqual([2, []]);
});

test('a query that is cancelled by its user, or replaced by the next run, is cancelled on the server', async () => {
  const { runner, cancelled, isAsked } = runnerOf();
  const run = runner.run([statement('SELECT slow')], ignore);
  await isAsked;
  const next = runner.run([statement('SELECT 2')], ignore);
  await Promise.all([run, next]);
  expect([shownIn(runner), cancelled]).toEqual(['R2', ['R1']]);
});

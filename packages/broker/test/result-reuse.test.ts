import { QuireError, type RequestId } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { Result, StoringEngine } from '@quire/results';
import { expect, test } from 'vitest';
import { type Question, questionKey, ResultReuse, wantedAgeMs } from '../src/result-reuse.ts';

const id = '01a20389-9197-73d6-bee3-9b7f2f3aef8b' as RequestId;
const result = { entry: { requestId: id } } as Result;

/** A broker whose engine cannot report whether data has changed, and its only result. */
function setUp(): {
  readonly clock: ManualClock;
  readonly reuse: ResultReuse;
  readonly stored: Set<string>;
} {
  const clock = new ManualClock();
  const stored = new Set<string>([id]);
  const open = async (requestId: string): Promise<Result> => {
    if (!stored.has(requestId)) throw new QuireError('RESULT_NOT_FOUND', 'It is gone.');
    return result;
  };
  return {
    clock,
    stored,
    reuse: new ResultReuse({ results: { open }, engine: {} as StoringEngine, clock }),
  };
}

function question(given: Partial<Question> & { readonly sql: string }): Question {
  return {
    key: questionKey('ann', { sql: given.sql }),
    ageMaxMs: Infinity,
    policy: { ageMaxMs: 1000 },
    ...given,
  };
}

async function answer(reuse: ResultReuse, asked: Question): Promise<void> {
  await reuse.lead(asked, async (onPlanned) => {
    onPlanned({ version: undefined, tables: ['events'] });
    return result;
  });
}

test('a result of an engine without data versions answers for as long as the setting says, and no longer', async () => {
  const { clock, reuse } = setUp();
  const asked = question({ sql: 'SELECT 1' });
  await answer(reuse, asked);
  await clock.advance(1000);
  expect(await reuse.find(asked, {})).toBe(result);
  await clock.advance(1);
  expect(await reuse.find(asked, {})).toBeUndefined();
});

test('a caller may want a younger one, and never gets an older one than the setting allows', async () => {
  const { clock, reuse } = setUp();
  const asked = question({ sql: 'SELECT 1' });
  await answer(reuse, asked);
  await clock.advance(500);
  expect(await reuse.find({ ...asked, ageMaxMs: 499 }, {})).toBeUndefined();
  expect(await reuse.find({ ...asked, ageMaxMs: 500 }, {})).toBe(result);
  await clock.advance(501);
  expect(await reuse.find({ ...asked, ageMaxMs: 5000 }, {})).toBeUndefined();
});

test('an age of 0 keeps nothing, and a change of the setting counts at once', async () => {
  const { reuse } = setUp();
  const asked = question({ sql: 'SELECT 1', policy: { ageMaxMs: 0 } });
  await answer(reuse, asked);
  expect(await reuse.find({ ...asked, policy: { ageMaxMs: 1000 } }, {})).toBeUndefined();
  await answer(reuse, { ...asked, policy: { ageMaxMs: 1000 } });
  expect(await reuse.find(asked, {})).toBeUndefined();
});

test.each([
  'SELECT now()',
  "SELECT ago('P1D')",
  'SELECT RAND()',
  'SELECT x FROM t WHERE d > CURRENT_DATE',
  'SELECT today()',
])('%s is not answered by an older result', async (sql) => {
  const { reuse } = setUp();
  await answer(reuse, question({ sql }));
  expect(await reuse.find(question({ sql }), {})).toBeUndefined();
});

test('a result that has gone is forgotten', async () => {
  const { reuse, stored } = setUp();
  const asked = question({ sql: 'SELECT 1' });
  await answer(reuse, asked);
  stored.clear();
  expect(await reuse.find(asked, {})).toBeUndefined();
  stored.add(id);
  expect(await reuse.find(asked, {})).toBeUndefined();
});

test.each([
  [undefined, Infinity],
  ['max-age=3', 3000],
  ['Max-Age="3", max-age=2', 2000],
  ['no-transform', Infinity],
  ['max-age=soon', Infinity],
  ['max-age=9, No-Cache', undefined],
  ['no-store', undefined],
])('Cache-Control: %s wants an age of %s ms', (header, ageMs) => {
  expect(wantedAgeMs(header)).toBe(ageMs);
});

test('a question with the parameter -0 is another one than with 0', () => {
  const keyOf = (value: number): string =>
    questionKey('ann', { sql: 'SELECT 1e0 / ?', parameters: [{ type: 'DOUBLE', value }] });
  expect(keyOf(-0)).not.toBe(keyOf(0));
  expect(keyOf(-0)).toBe(keyOf(-0));
});

/** A broker with the answer of a question, whose results open when `opened` resolves. */
async function setUpOpening(
  asked: Question,
  opened: Promise<void>,
): Promise<{
  readonly reuse: ResultReuse;
  readonly openedIds: readonly RequestId[];
  /** Resolves when the first one is being opened. */
  readonly opening: Promise<void>;
}> {
  const openedIds: RequestId[] = [];
  const opening = Promise.withResolvers<void>();
  const open = async (requestId: string): Promise<Result> => {
    openedIds.push(requestId as RequestId);
    opening.resolve();
    await opened;
    return result;
  };
  const engine = {} as StoringEngine;
  const reuse = new ResultReuse({ results: { open }, engine, clock: new ManualClock() });
  await answer(reuse, asked);
  return { reuse, openedIds, opening: opening.promise };
}

test('a result that another call is opening is not discarded', async () => {
  const asked = question({ sql: 'SELECT 1' });
  const opened = Promise.withResolvers<void>();
  const { reuse, opening } = await setUpOpening(asked, opened.promise);
  const finding = reuse.find(asked, {});
  await opening;
  let isRemoved = false;
  await reuse.discard(id, async () => void (isRemoved = true));
  opened.resolve();
  expect(await finding).toBe(result);
  expect(isRemoved).toBe(false);
});

test('a result that is being discarded is not reused, but one whose deletion failed is', async () => {
  const asked = question({ sql: 'SELECT 1' });
  const { reuse } = await setUpOpening(asked, Promise.resolve());
  const removed = Promise.withResolvers<void>();
  const discarding = reuse.discard(id, () => removed.promise);
  expect(await reuse.find(asked, {})).toBeUndefined();
  removed.reject(new QuireError('STORE_UNAVAILABLE', 'It is down.'));
  await expect(discarding).rejects.toThrow('It is down.');
  expect(await reuse.find(asked, {})).toBe(result);
});

test('a result that is found does not replace a newer one, which was cached while it opened', async () => {
  const asked = question({ sql: 'SELECT 1' });
  const opened = Promise.withResolvers<void>();
  const { reuse, openedIds, opening } = await setUpOpening(asked, opened.promise);
  const finding = reuse.find(asked, {});
  await opening;
  const newerId = '01a20389-9197-73d6-bee3-9b7f2f3aef8c' as RequestId;
  await reuse.lead({ ...asked, ageMaxMs: undefined }, async (onPlanned) => {
    onPlanned({ version: undefined, tables: ['events'] });
    return { entry: { requestId: newerId } } as Result;
  });
  opened.resolve();
  await finding;
  await reuse.find(asked, {});
  expect(openedIds).toEqual([id, newerId]);
});

import { expect, test } from 'vitest';
import { Laws } from './laws.ts';

const requestId = '019b79c1-efee-733c-ab3c-8ac86c0625ea';
const page = { offset: 0, rowCount: 1, startMs: 0 };

function lawsWithLiveResult(): Laws {
  const laws = new Laws({
    nowMs: () => 0,
    stalenessMaxMs: 0,
    areListingsTrue: true,
    clockErrorMaxMs: 0,
  });
  laws.add({
    requestId,
    owner: 'ann',
    rowCount: 1,
    first: 0,
    livesUntilMs: 1000,
    expiredByMs: 1000,
    isDeletionTried: false,
    deletedAtMs: undefined,
    isEvicted: false,
    confirmedAtMs: 0,
  });
  return laws;
}

// Seed 300,004 of a day: a cleaner that did not list a renewed result again tried to delete it.
test('a cleaner may fail to delete a live result as expired, if the result stays', () => {
  const laws = lawsWithLiveResult();
  laws.noteRemoval('cleaner', { id: requestId, reason: 'expired' }, false);
  expect(() => laws.check({ isEvictionLost: false })).not.toThrow();
});

test('a cleaner that deletes a live result as expired breaks a law', () => {
  const laws = lawsWithLiveResult();
  laws.noteRemoval('cleaner', { id: requestId, reason: 'expired' }, true);
  expect(() => laws.check({ isEvictionLost: false })).toThrow('removed');
});

test('a live result that is gone after a failed attempt to delete it breaks a law', () => {
  const laws = lawsWithLiveResult();
  laws.noteRemoval('cleaner', { id: requestId, reason: 'expired' }, false);
  const [result] = laws.results;
  const gone = {
    status: 410,
    reason: 'RESULT_EXPIRED',
    rows: undefined,
    resultRowCount: undefined,
  };
  if (result !== undefined) laws.checkPage(result, page, gone);
  expect(() => laws.check({ isEvictionLost: false })).toThrow('should live');
});

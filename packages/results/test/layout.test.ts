import { createRequestId, type RequestId, systemClock, systemRandom } from '@quire/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dataKeyOf,
  isBrokerId,
  parseResultObjectName,
  recordKeyOf,
  runningKeyOf,
} from '../src/layout.ts';

const requestId = '01a1fbbd-a4a0-72b4-a4a2-84902187c39f' as RequestId;

test('names are parsed back to what they were made of', () => {
  const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(count, count, count, (submissionTimeMs, expirationTimeMs, rowCount) => {
      const id = createRequestId(systemClock, systemRandom);
      const name = { submissionTimeMs, expirationTimeMs, rowCount };
      expect(parseResultObjectName(recordKeyOf('Broker_a_1', id, name))).toEqual({
        kind: 'record',
        brokerId: 'Broker_a_1',
        requestId: id,
        ...name,
      });
    }),
  );
  expect(parseResultObjectName(dataKeyOf('b', requestId))).toEqual({
    kind: 'data',
    brokerId: 'b',
    requestId,
  });
  expect(parseResultObjectName(runningKeyOf('b', requestId))).toEqual({
    kind: 'running',
    brokerId: 'b',
    requestId,
  });
});

test('every other name is foreign', () => {
  const foreign = [
    '',
    'data.arrow',
    `b/${requestId}`,
    `b/${requestId}/`,
    `b/${requestId}/data.arrow.tmp`,
    `b/${requestId}/deep/data.arrow`,
    `b/${requestId.toUpperCase()}/data.arrow`,
    `b/00000000-0000-4000-8000-000000000000/data.arrow`,
    `../${requestId}/data.arrow`,
    `b/${requestId}/1-2.json`,
    `b/${requestId}/1-2-3.JSON`,
    `b/${requestId}/01-2-3.json`,
    `b/${requestId}/-1-2-3.json`,
    `b/${requestId}/1-2-9007199254740992.json`,
    `b/${requestId}/1-2-3.json.json`,
  ];
  expect(foreign.filter((key) => parseResultObjectName(key) !== undefined)).toEqual([]);
});

test('a broker id is one segment that cannot climb or hide', () => {
  expect(['Broker_127.0.0.1_8099', 'a'].filter(isBrokerId)).toHaveLength(2);
  expect(
    ['', '.', '..', 'a/b', '.hidden', '-x', 'a b', 'x'.repeat(256)].filter(isBrokerId),
  ).toEqual([]);
});

import { expect, test } from 'vitest';
import { parsePartitions } from '../app/tables/partition-lag.ts';

const mapsOf = (partition: number, offset: number, lag: string) => ({
  currentOffsetsMap: { [partition]: String(offset) },
  latestUpstreamOffsetMap: { [partition]: '10' },
  recordsLagMap: { [partition]: lag },
});
const noMaps = { currentOffsetsMap: {}, latestUpstreamOffsetMap: {}, recordsLagMap: {} };

test('a partition is one line, of the server that has consumed most, with the problem of the others', () => {
  const notice = 'Server_b: NOT_CONSUMING.';
  const common = { partition: 0, state: 'CONSUMING', notice };
  const lines = parsePartitions({
    rivers__0: [
      { ...common, serverName: 'Server_b', partitionOffsetInfo: mapsOf(0, 4, '6') },
      { ...common, serverName: 'Server_a', partitionOffsetInfo: mapsOf(0, 10, '0') },
    ],
  });
  expect(lines).toEqual([
    { partition: '0', state: 'CONSUMING', offset: '10', latest: '10', lag: 0, problem: notice },
  ]);
});

test('a partition of which no server answers is there, with its reason and without numbers', () => {
  const error = 'Server_a: no answer.';
  const consumer = { partition: 3, state: 'RETRYING', error, partitionOffsetInfo: noMaps };
  expect(parsePartitions({ rivers__3: [consumer, consumer], rivers__1: [] })).toEqual([
    { partition: '3', state: 'RETRYING', offset: '', latest: '', lag: undefined, problem: error },
  ]);
});

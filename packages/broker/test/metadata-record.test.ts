import { MetadataRecord } from '@quire/api';
import { createRequestId, type QueryStatistics, systemClock, systemRandom } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { statisticsOf } from '../../engine-pinot/src/query/query-statistics.ts';
import { metadataOfResult } from '../src/metadata-record.ts';

const requestId = createRequestId(systemClock, systemRandom);
const entry = { requestId, brokerId: 'b', rowCount: 7 };
const unknown = { cpuTimeNs: null, rowsScanned: null, rowsTotal: null, tables: [] };

/** Returns the record of a result with these statistics, stored and read again. */
function recordOf(statistics: QueryStatistics): MetadataRecord {
  const stored = JSON.parse(JSON.stringify(statistics)) as QueryStatistics;
  return metadataOfResult({ entry, statistics: stored });
}

/** Members of the record that do not come from the statistics. */
const ofTheResult = { requestId, brokerId: 'b', exceptions: [], numRowsResultSet: 7 };

describe('the metadata record', () => {
  test('the metadata record gives every member of an Apache Pinot answer back under its own name', () => {
    const { dialect: _, ...members } = MetadataRecord.properties;
    const answer = Object.fromEntries(
      Object.entries(members).map(([name, { type }], index) => {
        if (type === 'array') return [name, [index]];
        if (type === 'object') return [name, { index }];
        return [name, type === 'boolean' ? true : type === 'string' ? '' : index + 1];
      }),
    );
    const statistics = statisticsOf(new Map(Object.entries(answer)), Number(answer['timeUsedMs']));
    expect(recordOf(statistics)).toEqual({ ...answer, ...ofTheResult });
  });

  test('the metadata record counts one server and nothing else for an engine that says nothing', () => {
    const values = Object.entries(recordOf({ elapsedMs: 0, ...unknown }));
    const others = values.filter(([name]) => !(name in ofTheResult));
    expect(Object.fromEntries(others.filter(([, value]) => value === 1))).toEqual({
      numServersQueried: 1,
      numServersResponded: 1,
    });
    const zeros = others.filter(([, value]) => value !== 1).map(([, value]) => value);
    expect(zeros.every((value) => [0, false].includes(value as number) || isEmpty(value))).toBe(
      true,
    );
  });

  test('the metadata record counts the segments of live tables, and what older releases stored of a cluster', () => {
    const live = { segments: { queried: 5, consuming: 2 }, consumedUntilMs: 1000 };
    const counts = {
      numSegmentsQueried: 5,
      numSegmentsProcessed: 5,
      numConsumingSegmentsQueried: 2,
      numConsumingSegmentsProcessed: 2,
      minConsumingFreshnessTimeMs: 1000,
    };
    expect(recordOf({ elapsedMs: 1, ...unknown, ...live })).toMatchObject(counts);
    const cluster = {
      segments: { queried: 5, processed: 5, matched: 0 },
      consumingSegments: { queried: 2, processed: 2, matched: 0 },
      consumedUntilMs: 1000,
    };
    expect(recordOf({ elapsedMs: 1, ...unknown, cluster })).toMatchObject(counts);
  });
});

function isEmpty(value: unknown): boolean {
  return JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}';
}

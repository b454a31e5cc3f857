import { describe, expect, it } from 'vitest';
import { CursorResponse, MetadataRecord, QueryResponse } from '../src/index.ts';

/** SPECIFICATION.md section 2.7, word for word. */
const specified = {
  string: ['requestId', 'brokerId'],
  array: ['exceptions', 'segmentStatistics'],
  object: ['traceInfo'],
  boolean: ['numGroupsLimitReached', 'maxRowsInJoinReached', 'partialResult'],
  integer: (
    'numServersQueried, numServersResponded, numSegmentsQueried, numSegmentsProcessed, numSegmentsMatched, numConsumingSegmentsQueried, ' +
    'numConsumingSegmentsProcessed, numConsumingSegmentsMatched, numDocsScanned, numEntriesScannedInFilter, numEntriesScannedPostFilter, ' +
    'totalDocs, timeUsedMs, offlineThreadCpuTimeNs, realtimeThreadCpuTimeNs, offlineSystemActivitiesCpuTimeNs, ' +
    'realtimeSystemActivitiesCpuTimeNs, offlineResponseSerializationCpuTimeNs, realtimeResponseSerializationCpuTimeNs, ' +
    'offlineTotalCpuTimeNs, realtimeTotalCpuTimeNs, brokerReduceTimeMs, numRowsResultSet, minConsumingFreshnessTimeMs, ' +
    'explainPlanNumEmptyFilterSegments, explainPlanNumMatchAllFilterSegments, numSegmentsPrunedByServer, numSegmentsPrunedInvalid, ' +
    'numSegmentsPrunedByLimit, numSegmentsPrunedByValue, numSegmentsPrunedByBroker'
  ).split(', '),
};

describe('MetadataRecord', () => {
  it('MetadataRecord has every member of the specification, with its type and a description, the dialect and the stages', () => {
    const { dialect, stageStats, ...required } = MetadataRecord.properties;
    expect(dialect).toHaveProperty('description');
    expect(stageStats).toHaveProperty('description');
    const types = Object.entries(required).map(([name, schema]) => [name, schema.type] as const);
    const expected = Object.entries(specified).flatMap(([type, names]) =>
      names.map((name) => [name, type] as const),
    );
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(expected));
    expect(types.length).toBe(expected.length);
    expect(MetadataRecord.required.toSorted()).toEqual(expected.map(([name]) => name).toSorted());
    const bare = Object.entries(MetadataRecord.properties).filter(
      ([, schema]) => !('description' in schema),
    );
    expect(bare).toEqual([]);
  });
});

describe('QueryResponse', () => {
  it('QueryResponse is a result table with every member of the metadata record', () => {
    expect(Object.keys(QueryResponse.properties)).toEqual([
      'resultTable',
      ...Object.keys(MetadataRecord.properties),
    ]);
  });
});

describe('CursorResponse', () => {
  it('CursorResponse begins with the members of the specification, in its order', () => {
    expect(Object.keys(CursorResponse.properties).slice(0, 10)).toEqual([
      'resultTable',
      'requestId',
      'brokerId',
      'numRowsResultSet',
      'offset',
      'numRows',
      'nextOffsetParams',
      'exceptions',
      'brokerHost',
      'brokerPort',
    ]);
  });
});

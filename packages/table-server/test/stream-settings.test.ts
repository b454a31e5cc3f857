import { expect, test } from 'vitest';
import { streamSettingsOf } from '../src/consumption/stream-settings.ts';

const rowsMaxOf = (thresholds: Readonly<Record<string, string>>) => {
  const options = Object.entries(thresholds).map(([name, value]) => [
    `realtime.segment.flush.threshold.${name}`,
    value,
  ]);
  const streamConfigMaps = [{ streamType: 'file', ...Object.fromEntries(options) }];
  return streamSettingsOf({
    tableName: 'orders',
    tableType: 'REALTIME',
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps } },
  })[0]?.thresholds.rowsMax;
};

test('a segment has at most segment.rows rows if rows is 0, which leaves the threshold to others', () => {
  expect(rowsMaxOf({ rows: '0', 'segment.rows': '1000' })).toBe(1000);
  expect(rowsMaxOf({ 'segment.rows': '1000' })).toBe(1000);
  expect(rowsMaxOf({ rows: '500', 'segment.rows': '0' })).toBe(500);
  expect(rowsMaxOf({ rows: '0' })).toBe(5_000_000);
});

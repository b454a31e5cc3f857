import { crc32 } from 'node:zlib';
import type { RequestId } from '@quire/core';
import { Decimal, Field, Int64, List, Schema, TimestampMicrosecond, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { type CommitRecord, decodeCommitRecord, encodeCommitRecord } from '../src/commit-record.ts';

const record: CommitRecord = {
  requestId: '01a1fbbd-a4a0-72b4-a4a2-84902187c39f' as RequestId,
  brokerId: 'Broker_a_1',
  owner: 'ana "the" ü',
  submissionTimeMs: 1,
  expirationTimeMs: 2,
  rowCount: 3,
  dataSizeBytes: 4,
  schema: new Schema(
    [
      new Field('a', new Int64(), true),
      new Field(
        'b',
        new List(new Field('item', new Utf8(), true)),
        false,
        new Map([['ARROW:extension:name', 'x']]),
      ),
      new Field('c', new Decimal(2, 38), true),
      new Field('d', new TimestampMicrosecond('UTC'), true),
    ],
    new Map([['k', 'v']]),
  ),
  spans: { rowsPerBatch: 8192, firstOffset: 100, ends: [200], checksums: [4_294_967_295] },
  statistics: { elapsedMs: 1.5, cpuTimeNs: null, rowsScanned: 10, rowsTotal: 20, tables: ['t'] },
};

test('a record is read back as it was written', () => {
  expect(decodeCommitRecord('k', encodeCommitRecord(record))).toEqual(record);
});

test('a record that lost or changed a byte is corrupt', () => {
  const bytes = encodeCommitRecord(record);
  for (let index = 0; index < bytes.length - 1; index += 1) {
    const flipped = Uint8Array.from(bytes);
    flipped[index] = (flipped[index] ?? 0) ^ 1;
    expect(() => decodeCommitRecord('the/key', flipped), `byte ${index}`).toThrow(
      /commit record the\/key/,
    );
    expect(
      () => decodeCommitRecord('the/key', bytes.subarray(0, index)),
      `cut at ${index}`,
    ).toThrow(/commit record the\/key/);
  }
});

test('a record is checked by its bytes as they stand, whichever way its JSON is written', () => {
  const text = Buffer.from(encodeCommitRecord(record)).toString();
  const json = text.slice(text.indexOf('"record":') + '"record":'.length, -2);
  const other = json.replace('"owner":"ana', '"owner": "\\u0061na');
  expect(other).not.toBe(json);
  const withChecksumOf = (checked: string): Uint8Array =>
    Buffer.from(`{"formatVersion":1,"checksum":${crc32(checked)},"record":${other}}\n`);
  expect(decodeCommitRecord('k', withChecksumOf(other))).toEqual(record);
  expect(() => decodeCommitRecord('k', withChecksumOf(json))).toThrow(
    'The commit record k does not match its checksum.',
  );
});

test('batches of different lengths need a version that older releases refuse', () => {
  const spans = { ...record.spans, ends: [200, 300], checksums: [1, 2], rowEnds: [8000, 8001] };
  const bytes = encodeCommitRecord({ ...record, spans });
  expect(Buffer.from(bytes).toString()).toMatch(/^\{"formatVersion":2,/);
  expect(decodeCommitRecord('k', bytes).spans).toEqual(spans);
  expect(Buffer.from(encodeCommitRecord(record)).toString()).toMatch(/^\{"formatVersion":1,/);
});

test('a record of a newer version is refused by its version', () => {
  const newer = Buffer.from(
    Buffer.from(encodeCommitRecord(record))
      .toString()
      .replace('"formatVersion":1', '"formatVersion":3'),
  );
  for (const bytes of [newer, Buffer.from('{"formatVersion":3,"rows":"elsewhere"}')]) {
    expect(() => decodeCommitRecord('k', bytes)).toThrow(
      expect.objectContaining({
        code: 'RESULT_FORMAT_UNKNOWN',
        message:
          'The commit record k has format version 3, but this version of Quire reads versions up to 2; use a newer one.',
      }),
    );
  }
  for (const version of ['"2"', 'null', '1.5']) {
    const bytes = Buffer.from(`{"formatVersion":${version}}`);
    expect(() => decodeCommitRecord('k', bytes)).toThrow(
      expect.objectContaining({ code: 'RESULT_CORRUPT' }),
    );
  }
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { MiB } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf, type SegmentFile } from '../src/segments/verify-file.ts';
import { type DamagedSegment, Scrub } from '../src/upkeep/scrub.ts';

const dayMs = 86_400_000;
let directory: string;
let files: SegmentFile[];
const clock = new ManualClock();
const events: string[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-scrub-'));
  files = [];
  events.length = 0;
});

afterEach(() => rm(directory, { recursive: true }));

async function addFile(segmentName: string, bytes: Uint8Array): Promise<SegmentFile> {
  const path = join(directory, segmentName);
  await writeFile(path, bytes);
  const file = { segmentName, path, sizeBytes: bytes.byteLength, checksum: String(crc32(bytes)) };
  files.push(file);
  return file;
}

function openScrub({ bytesPerSecondMax = Infinity } = {}): Scrub {
  return new Scrub({
    clock,
    tables: () => [{ name: 'trips_OFFLINE', listFiles: () => files }],
    periodMs: () => 7 * dayMs,
    bytesPerSecondMax: () => bytesPerSecondMax,
    onDamaged: ({ segmentName, problem }) => events.push(`${segmentName} ${problem}`),
    onRestored: ({ segmentName }) => events.push(`${segmentName} is whole`),
    onFailed: (error) => events.push(String(error)),
  });
}

const namesOf = (damaged: readonly DamagedSegment[]): readonly string[] =>
  damaged.map(({ segmentName }) => segmentName);

test('reads each file once in a period, and one that has changed in the next round', async () => {
  await using scrub = openScrub();
  const bytes = Buffer.from('rows');
  const first = await addFile('first', bytes);
  await addFile('second', bytes);
  expect(await scrub.run()).toBe(2);
  expect(await scrub.run()).toBe(0);
  await clock.advance(6 * dayMs);
  // The same bytes, written again.
  await writeFile(first.path, bytes);
  expect(await scrub.run()).toBe(1);
  await clock.advance(dayMs);
  expect(await scrub.run()).toBe(1);
  await clock.advance(6 * dayMs);
  expect(await scrub.run()).toBe(1);
  expect([scrub.damaged, events]).toEqual([[], []]);
});

test('names what is damaged once, until it is whole again or its segment has gone', async () => {
  await using scrub = openScrub();
  const [cut, other] = [
    await addFile('cut', Buffer.from('rows')),
    await addFile('other', Buffer.from('more')),
  ];
  await scrub.run();
  await writeFile(cut.path, 'row');
  await rm(other.path);
  await scrub.run();
  await scrub.run();
  expect(namesOf(scrub.damaged).toSorted()).toEqual(['cut', 'other']);
  expect(events.toSorted()).toEqual(['cut has 3 bytes, but 4 were written', 'other is missing']);
  await writeFile(cut.path, 'rows');
  files = files.filter((file) => file !== other);
  await scrub.run();
  expect(scrub.damaged).toEqual([]);
  expect(events.slice(2)).toEqual(['cut is whole']);
});

test('the scrub gives a file whose bytes are wrong other times, so that all processes read it again, and finds it first after a restart', async () => {
  const wrong = await addFile('wrong', Buffer.from('rows'));
  await addFile('whole', Buffer.from('rows'));
  await writeFile(wrong.path, 'rowz');
  const identity = identityOf(wrong.path);
  {
    await using scrub = openScrub();
    await scrub.run();
    expect(identityOf(wrong.path)).not.toBe(identity);
    // The file is marked once: verifications by other processes are valid from then on.
    const marked = identityOf(wrong.path);
    await clock.advance(7 * dayMs);
    await scrub.run();
    expect(identityOf(wrong.path)).toBe(marked);
  }
  // The round after a start ends after its first file, as one of large files would.
  files = files.toReversed();
  await using restarted = openScrub({ bytesPerSecondMax: 0.1 });
  const reading = restarted.run();
  await clock.untilSleeping();
  await clock.advance(40_000);
  expect([await reading, namesOf(restarted.damaged)]).toEqual([1, ['wrong']]);
});

test('reads no more bytes in a second than it may', async () => {
  await addFile('large', Buffer.alloc(8 * MiB));
  await addFile('later', Buffer.alloc(MiB));
  await using scrub = openScrub({ bytesPerSecondMax: 2 * MiB });
  const reading = scrub.run();
  // Half a second for each piece of 1 MiB.
  for (let piece = 0; piece < 9; piece += 1) {
    await clock.untilSleeping();
    await clock.advance(500);
  }
  expect(await reading).toBe(2);
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isQuireError, systemClock } from '@quire/core';
import { removeResult, ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';

const hourMs = 3_600_000;
const resultCount = 60;

test('of a removal in one step and a renewal by another process, one gives way, or both', async () => {
  const root = await mkdtemp(join(tmpdir(), 'quire-removal-'));
  try {
    await using store = await FileObjectStore.open({ root });
    const options = {
      brokerId: 'b',
      expirationMs: hourMs,
      expirationMaxMs: 9 * hourMs,
      clock: systemClock,
    };
    const writer = new ResultStore({ ...options, store });
    const entries = [];
    for (let count = 0; count < resultCount; count += 1) {
      entries.push((await writer.create(countingRows(20), { owner: 'o' })).entry);
    }
    await using peerStore = await FileObjectStore.open({ root });
    const peer = new ResultStore({ ...options, store: peerStore });
    const outcomes = await Promise.all(
      entries.map(async (entry, index) => {
        const renewing = peer.renew(entry.requestId, 5 * hourMs).then(
          () => 'renewed',
          (error: unknown) => (isQuireError(error) && error.kind === 'missing' ? 'missing' : error),
        );
        // Some before, some in the middle, some after.
        for (let turn = 0; turn < index % 12; turn += 1) await setImmediate();
        return Promise.all([removeResult(store, entry), renewing]);
      }),
    );
    const reader = new ResultStore({ ...options, store });
    for (const [index, { requestId }] of entries.entries()) {
      const [removal, renewal] = outcomes[index] ?? [];
      expect(['renewed', 'missing']).toContain(renewal);
      if (renewal === 'renewed') {
        expect(await pageText(await reader.open(requestId), 0, 20)).toBe(countingJson(0, 20));
      } else await expect(reader.open(requestId)).rejects.toMatchObject({ kind: 'missing' });
      if (renewal === 'renewed') expect(removal).toBe('kept');
    }
    // If both have failed, the data is an orphan, which a later sweep deletes.
    expect(await readdir(join(root, 'b')).catch(() => [])).toHaveLength(
      outcomes.filter(([removal, renewal]) => renewal === 'renewed' || removal === 'kept').length,
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

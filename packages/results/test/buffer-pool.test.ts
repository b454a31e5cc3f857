import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/buffer-pool.ts';

test('what came back is lent again, for requests of the same size', () => {
  const pool = new BufferPool();
  const first = pool.lease(500_000);
  pool.release(first);
  const second = pool.lease(499_000);
  expect(second.buffer).toBe(first.buffer);
  expect(second.byteLength).toBe(499_000);
  expect(pool.lease(499_000).buffer).not.toBe(first.buffer);
});

test('what is lent is as large as was asked for, not much larger in memory, and nobody else has it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 5_000_000 }), fc.boolean()), { maxLength: 20 }),
      (sizes) => {
        const pool = new BufferPool();
        const held = new Set<ArrayBufferLike>();
        for (const [sizeBytes, isReturned] of sizes) {
          const lease = pool.lease(sizeBytes);
          expect(lease.byteLength).toBe(sizeBytes);
          expect(lease.byteOffset).toBe(0);
          expect(lease.buffer.byteLength).toBeLessThan(Math.max(131_072, sizeBytes * 2.5));
          expect(held.has(lease.buffer)).toBe(false);
          if (isReturned) pool.release(lease);
          else held.add(lease.buffer);
        }
        expect(pool.leasedBytes).toBe(
          [...held].reduce((sum, { byteLength }) => sum + byteLength, 0),
        );
      },
    ),
  );
});

test('no more lies at rest than the pool may keep', () => {
  const pool = new BufferPool({ idleBytesMax: 200_000 });
  const leases = [100_000, 100_000, 100_000].map((sizeBytes) => pool.lease(sizeBytes));
  for (const lease of leases) pool.release(lease);
  const again = [100_000, 100_000, 100_000].map((sizeBytes) => pool.lease(sizeBytes).buffer);
  expect(again.filter((buffer) => leases.some((lease) => lease.buffer === buffer)).length).toBe(1);
});

test('what was abandoned is neither counted nor lent again', () => {
  const pool = new BufferPool();
  const lease = pool.lease(100);
  pool.abandon(lease);
  expect(pool.leasedBytes).toBe(0);
  expect(pool.lease(100).buffer).not.toBe(lease.buffer);
});

test('two pools may share idle memory and its limit; each counts what it lends', () => {
  const pool = new BufferPool({ idleBytesMax: 200_000 });
  const other = new BufferPool({ shared: pool });
  const leases = [pool.lease(100_000), pool.lease(100_000)];
  const theirs = other.lease(100_000);
  expect(pool.leasedBytes).toBe(2 * other.leasedBytes);
  other.release(theirs);
  for (const lease of leases) pool.release(lease);
  expect([pool.leasedBytes, other.leasedBytes]).toEqual([0, 0]);
  // The limit is less than two of them: the others were dropped.
  expect(pool.lease(100_000).buffer).toBe(theirs.buffer);
  expect(leases.map(({ buffer }) => buffer)).not.toContain(other.lease(100_000).buffer);
});

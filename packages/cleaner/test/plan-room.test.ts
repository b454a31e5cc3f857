import { expect, test } from 'vitest';
import { planRoom, type RoomHolder } from '../src/plan-room.ts';
import { QuotaPolicy } from '../src/quota-policy.ts';

/** Guarantees 2,400 bytes. */
const policy = new QuotaPolicy({ quotaBytes: 8000, criticalPercent: 90, targetPercent: 60, protectionMs: 0 });

const holder = (heldBytes: number, wantedBytes = 0): RoomHolder => ({ heldBytes, wantedBytes, maySweep: false });

function plan(storedBytes: number, ...writes: RoomHolder[]): string {
  const step = planRoom({ policy, storedBytes, doubtfulBytes: 0, writes });
  return 'write' in step ? `${step.kind} ${step.write.heldBytes}+${step.write.wantedBytes}` : step.kind;
}

// Were it granted and stored, 1,920 and 1,120 would wait for each other, and one of them would be refused.
test('a write that grows beyond the guaranteed size waits while the others could not all end once it is kept', () => {
  expect(plan(0, holder(2178, 674), holder(1920), holder(1120), holder(400), holder(344))).toBe('wait');
  expect(plan(0, holder(2178, 674), holder(400), holder(344))).toBe('grant 2178+674');
});

test('while such a write goes on, the others are granted what still lets all end beside what may be kept of it', () => {
  expect(plan(0, holder(1120, 400), holder(1500), holder(2852))).toBe('wait');
  expect(plan(0, holder(1120, 400), holder(1500))).toBe('grant 1120+400');
});

test('when nobody goes on, one beyond the guaranteed size gives way before one within it', () => {
  expect(plan(4800, holder(800, 200), holder(2300, 300))).toBe('refuse 2300+300');
});

test('one that could not stay any more, since the quota has become smaller, is refused though it would fit', () => {
  expect(plan(0, holder(7000, 300))).toBe('refuse 7000+300');
});

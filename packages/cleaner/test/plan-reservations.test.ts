import { describe, expect, test } from 'vitest';
import { planReservations, type WriteDemand } from '../src/plan-reservations.ts';
import { QuotaPolicy } from '../src/quota-policy.ts';

/** Guarantees 2,400 bytes. */
const policy = new QuotaPolicy({
  quotaBytes: 8000,
  criticalPercent: 90,
  targetPercent: 60,
  protectionMs: 0,
});

const holder = (heldBytes: number, wantedBytes = 0): WriteDemand => ({ heldBytes, wantedBytes });

function plan(storedBytes: number, ...writes: WriteDemand[]): string {
  const step = planReservations({
    policy,
    storedBytes,
    unconfirmedBytes: 0,
    writes,
    maySweep: () => false,
  });
  return 'write' in step
    ? `${step.kind} ${step.write.heldBytes}+${step.write.wantedBytes}`
    : step.kind;
}

// If it were granted and stored, 1,920 and 1,120 would wait for each other, and one of them would
// be refused.
test('a write that grows beyond the guaranteed size waits while the others could not all end once it is kept', () => {
  expect(plan(0, holder(2178, 674), holder(1920), holder(1120), holder(400), holder(344))).toBe(
    'wait',
  );
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

describe('shares', () => {
  /** Guarantees 600 bytes. */
  const sharePolicy = new QuotaPolicy(
    { quotaBytes: 2000, criticalPercent: 90, targetPercent: 60 },
    'some.key',
  );
  interface OwnedHolder extends WriteDemand {
    readonly owner: string;
    readonly maySweep: boolean;
  }
  const owned = (
    owner: string,
    heldBytes: number,
    wantedBytes = 0,
    maySweep = false,
  ): OwnedHolder => ({
    owner,
    heldBytes,
    wantedBytes,
    maySweep,
  });

  /** A plan where each owner may use 2,000 bytes of 8,000. */
  function shared(stored: Readonly<Record<string, number>>, ...writes: OwnedHolder[]): string {
    const step = planReservations({
      policy,
      storedBytes: Object.values(stored).reduce((sum, bytes) => sum + bytes, 0),
      unconfirmedBytes: 0,
      writes,
      maySweep: (write) => write.maySweep,
      shareOf: ({ owner }) => ({
        policy: sharePolicy,
        storedBytes: stored[owner] ?? 0,
        unconfirmedBytes: 0,
        writes: writes.filter((write) => write.owner === owner),
        maySweep: (write) => write.maySweep,
      }),
    });
    if (!('write' in step)) return step.kind;
    const limit =
      step.kind === 'refuse' ? ` by the ${step.policy === policy ? 'quota' : 'share'}` : '';
    return `${step.kind} ${step.write.owner} ${step.write.heldBytes}+${step.write.wantedBytes}${limit}`;
  }

  test('a write that its share has no room for does not hold up those of others', () => {
    expect(shared({ ann: 1900 }, owned('ann', 100, 100), owned('bob', 0, 300))).toBe(
      'grant bob 0+300',
    );
  });

  test('a sweep comes before a refusal, and a refusal when none may help, whatever others are at', () => {
    expect(shared({ ann: 1900 }, owned('ann', 0, 500, true), owned('bob', 300))).toBe('sweep');
    expect(shared({ ann: 1900 }, owned('ann', 0, 500), owned('bob', 300))).toBe(
      'refuse ann 0+500 by the share',
    );
  });

  test('a write that waits only for another write of its owner goes on waiting', () => {
    expect(shared({ ann: 1000 }, owned('ann', 100, 500), owned('ann', 500))).toBe('wait');
    expect(
      shared({ ann: 1000 }, owned('ann', 100, 500), owned('ann', 500, 600), owned('bob', 500)),
    ).toBe('refuse ann 500+600 by the share');
  });

  test('a write that waits for an owner whose other write waits for the quota goes on waiting', () => {
    // The second fits its share, but not the quota, of which bob's write uses a part.
    expect(
      shared(
        { ann: 1200, bob: 5000 },
        owned('ann', 300, 400),
        owned('ann', 400, 90),
        owned('bob', 1100),
      ),
    ).toBe('wait');
  });

  test('a write that exceeds what is critical for its share is refused though the quota has room', () => {
    expect(shared({}, owned('ann', 1700, 200))).toBe('refuse ann 1700+200 by the share');
  });
});

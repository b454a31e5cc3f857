import type { QuotaPolicy } from './quota-policy.ts';

/** A write in progress, with the space that it holds and requests. */
export interface WriteDemand {
  readonly heldBytes: number;
  /** The bytes that it waits for; 0 while it does not wait. */
  readonly wantedBytes: number;
}

/** The space in a limit, and the writes that hold or request it. */
export interface ReservationState<Write extends WriteDemand> {
  readonly policy: QuotaPolicy;
  readonly storedBytes: number;
  /** The bytes that failed writes may have left behind; only a listing can confirm them. */
  readonly unconfirmedBytes: number;
  /**
   * The writes. Waiting ones are in the order in which they started to wait, the others in any
   * order.
   */
  readonly writes: readonly Write[];
  /** True if another sweep may free space in this limit that the last sweep could not free. */
  readonly maySweep: (write: Write, policy: QuotaPolicy) => boolean;
  /**
   * Returns the same for the share of a write's owner, with its writes only; undefined if the owner
   * may use the whole quota.
   */
  readonly shareOf?: (write: Write) => ReservationState<Write> | undefined;
}

/** The next step. `wait`: do nothing until something changes. */
export type ReservationStep<Write> =
  | { readonly kind: 'grant'; readonly write: Write }
  /** `policy`: the quota or share that has no space. */
  | { readonly kind: 'refuse'; readonly write: Write; readonly policy: QuotaPolicy }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'wait' };

/**
 * Decides which of the waiting writes continues, one step at a time; a grant or a refusal changes
 * the state for the next.
 *
 * A write that fits is granted, in order of arrival, both within the quota and within the share of
 * its owner. It is not granted if several writes could then wait for each other (`isSafe`).
 *
 * Otherwise the step is a sweep, if one may help. Otherwise all wait while some other write that
 * holds space continues: its end frees that space, or makes it evictable. If none continues, one is
 * refused: one larger than the guaranteed size, and of those the largest. So at least one write
 * always continues, fails or waits for a sweep.
 *
 * A share in which all writes wait is treated like a separate quota: one of its writes is refused,
 * whatever continues elsewhere. The claims of all writes are met in one order, the largest first,
 * which is also the order in each share. So a state that is safe in the quota and in each share is
 * safe in all.
 */
export function planReservations<Write extends WriteDemand>(
  state: ReservationState<Write>,
): ReservationStep<Write> {
  const waiting = state.writes.filter(({ wantedBytes }) => wantedBytes > 0);
  const limitsOf = (write: Write): readonly ReservationState<Write>[] => {
    const share = state.shareOf?.(write);
    return share === undefined ? [state] : [share, state];
  };
  // The quota may have shrunk while the write waited.
  const outsized = refusal(
    waiting,
    limitsOf,
    ({ policy }, write) => grownBytes(write) > policy.criticalBytes,
  );
  if (outsized !== undefined) return outsized;
  const mayGoOn = (limit: ReservationState<Write>, write: Write): boolean =>
    fits(limit, write) && isSafe(limit, write);
  const granted = waiting.find((write) => limitsOf(write).every((limit) => mayGoOn(limit, write)));
  if (granted !== undefined) return { kind: 'grant', write: granted };
  const maySweep = (write: Write): boolean =>
    limitsOf(write).some((limit) => !fits(limit, write) && limit.maySweep(write, limit.policy));
  if (waiting.some(maySweep)) return { kind: 'sweep' };
  const hopeless = refusal(waiting, limitsOf, isHopeless);
  if (hopeless !== undefined) return hopeless;
  for (const write of waiting) {
    const share = state.shareOf?.(write);
    const isStuck = share?.writes.every((each) =>
      each.wantedBytes > 0 ? !mayGoOn(share, each) : each.heldBytes === 0,
    );
    if (share !== undefined && isStuck === true) {
      return { kind: 'refuse', write: victimOf(share), policy: share.policy };
    }
  }
  const isAnyWriting = state.writes.some(
    ({ heldBytes, wantedBytes }) => heldBytes > 0 && wantedBytes === 0,
  );
  if (isAnyWriting || waiting.length === 0) return { kind: 'wait' };
  return { kind: 'refuse', write: victimOf(state), policy: state.policy };
}

/** Returns the first write that permanently exceeds one of its limits, and that limit. */
function refusal<Write extends WriteDemand>(
  writes: readonly Write[],
  limitsOf: (write: Write) => readonly ReservationState<Write>[],
  isRuledOut: (limit: ReservationState<Write>, write: Write) => boolean,
): ReservationStep<Write> | undefined {
  for (const write of writes) {
    const limit = limitsOf(write).find((each) => isRuledOut(each, write));
    if (limit !== undefined) return { kind: 'refuse', write, policy: limit.policy };
  }
  return undefined;
}

/**
 * Reports whether a write would not fit even if it were the only one, and everything evictable were
 * evicted.
 */
function isHopeless<Write extends WriteDemand>(
  limit: ReservationState<Write>,
  write: Write,
): boolean {
  const { policy, storedBytes } = limit;
  return (
    !fits(limit, write) &&
    grownBytes(write) > policy.quotaBytes - Math.min(storedBytes, policy.targetBytes)
  );
}

/** Returns the waiting write to refuse. */
function victimOf<Write extends WriteDemand>({ policy, writes }: ReservationState<Write>): Write {
  const isBeyond = (write: Write): number => Number(grownBytes(write) > policy.guaranteedBytes);
  const [victim] = writes
    .filter(({ wantedBytes }) => wantedBytes > 0)
    .toSorted((one, other) => isBeyond(other) - isBeyond(one) || other.heldBytes - one.heldBytes);
  if (victim === undefined) throw new RangeError('No write waits for space.');
  return victim;
}

/** Reports whether a write's wanted bytes fit now. */
function fits<Write extends WriteDemand>(
  { policy, storedBytes, unconfirmedBytes, writes }: ReservationState<Write>,
  write: Write,
): boolean {
  const heldBytes = writes.reduce((sum, each) => sum + each.heldBytes, 0);
  return storedBytes + unconfirmedBytes + heldBytes + write.wantedBytes <= policy.quotaBytes;
}

/**
 * Reports whether, after a grant, all writes could still end one after the other after growing to
 * the guaranteed size.
 *
 * This is the banker's algorithm (Dijkstra, EWD 623), with the guaranteed size as the claim of
 * each. No write releases space before it ends, so two half-written results could fill the last
 * space and wait for each other forever.
 *
 * The largest is first: it needs the least, and so is never blocked. Before each next one a sweep
 * may reduce the stored bytes to the target, and no further. Writes beyond the guaranteed size have
 * no claim and can be refused. But they may also end, and then up to the target stays stored; so
 * while there is such a write, that much counts as stored.
 */
function isSafe<Write extends WriteDemand>(
  {
    policy,
    storedBytes,
    writes,
  }: Pick<ReservationState<Write>, 'policy' | 'storedBytes' | 'writes'>,
  write: Write,
): boolean {
  const { quotaBytes, criticalBytes, targetBytes, guaranteedBytes } = policy;
  if (write.heldBytes > guaranteedBytes) return true;
  const exceedsGuarantee = grownBytes(write) > guaranteedBytes;
  const claimants = writes.filter(({ heldBytes }) => heldBytes <= guaranteedBytes);
  if (!exceedsGuarantee && claimants.every(({ heldBytes }) => heldBytes <= write.heldBytes)) {
    return true;
  }
  const held = claimants
    .filter((each) => each !== write || !exceedsGuarantee)
    .map((each) => (each === write ? grownBytes(each) : each.heldBytes))
    .toSorted((one, other) => other - one);
  let othersBytes = held.reduce((sum, bytes) => sum + bytes, 0);
  if (othersBytes <= quotaBytes - criticalBytes) return true;
  let floorBytes =
    exceedsGuarantee || claimants.length < writes.length
      ? targetBytes
      : Math.min(storedBytes, targetBytes);
  for (const bytes of held) {
    othersBytes -= bytes;
    if (othersBytes > quotaBytes - guaranteedBytes - floorBytes) return false;
    floorBytes = Math.min(targetBytes, floorBytes + guaranteedBytes);
  }
  return true;
}

function grownBytes({ heldBytes, wantedBytes }: WriteDemand): number {
  return heldBytes + wantedBytes;
}

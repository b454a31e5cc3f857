import type { QuotaPolicy } from './quota-policy.ts';

/** A write under way, as far as room goes. */
export interface RoomHolder {
  readonly heldBytes: number;
  /** How many more it waits for; 0 while it does not wait. */
  readonly wantedBytes: number;
  /** Whether a sweep may free what the last one could not. */
  readonly maySweep: boolean;
}

/** What there is of room, and who holds and wants it. */
export interface RoomState<Write extends RoomHolder> {
  readonly policy: QuotaPolicy;
  readonly storedBytes: number;
  /** What failed writes could not take back, perhaps; only a listing knows. */
  readonly doubtfulBytes: number;
  /** In the order in which they began to wait; where those stand that do not wait is of no matter. */
  readonly writes: readonly Write[];
}

/** What to do next. `wait`: nothing, until something changes. */
export type RoomStep<Write> =
  | { readonly kind: 'grant' | 'refuse'; readonly write: Write }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'wait' };

/**
 * Decides who of those that wait for room goes on, one step at a time; a grant or a refusal changes the state for the next.
 *
 * A write that fits is granted, in order of arrival, unless that could leave several writes waiting for each other (`leavesAWayOut`). Else
 * a sweep, if one may help. Else all wait while some other write that holds room goes on: its end frees that room, or makes it
 * evictable. When nobody goes on, one must give way: one larger than the guaranteed size, and of those the largest. So somebody
 * always goes on, fails or has yet to be swept for.
 */
export function planRoom<Write extends RoomHolder>(state: RoomState<Write>): RoomStep<Write> {
  const { policy, storedBytes, writes } = state;
  const { quotaBytes, criticalBytes, targetBytes, guaranteedBytes } = policy;
  const waiting = writes.filter(({ wantedBytes }) => wantedBytes > 0);
  // The quota may have become smaller while it waited.
  const outsized = waiting.find((write) => grownBytes(write) > criticalBytes);
  if (outsized !== undefined) return { kind: 'refuse', write: outsized };
  const granted = waiting.find((write) => fits(state, write) && leavesAWayOut(state, write));
  if (granted !== undefined) return { kind: 'grant', write: granted };
  const blocked = waiting.filter((write) => !fits(state, write));
  if (blocked.some(({ maySweep }) => maySweep)) return { kind: 'sweep' };
  // Were it the only write, and everything evicted that may be, it would still not fit.
  const aloneBytesMax = quotaBytes - Math.min(storedBytes, targetBytes);
  const hopeless = blocked.find((write) => grownBytes(write) > aloneBytesMax);
  if (hopeless !== undefined) return { kind: 'refuse', write: hopeless };
  const isAnybodyAtWork = writes.some(({ heldBytes, wantedBytes }) => heldBytes > 0 && wantedBytes === 0);
  const isBeyond = (write: Write): number => Number(grownBytes(write) > guaranteedBytes);
  const [victim] = waiting.toSorted((one, other) => isBeyond(other) - isBeyond(one) || other.heldBytes - one.heldBytes);
  return isAnybodyAtWork || victim === undefined ? { kind: 'wait' } : { kind: 'refuse', write: victim };
}

/** Whether there is room for what a write wants, right now. */
function fits<Write extends RoomHolder>({ policy, storedBytes, doubtfulBytes, writes }: RoomState<Write>, write: Write): boolean {
  const heldBytes = writes.reduce((sum, each) => sum + each.heldBytes, 0);
  return storedBytes + doubtfulBytes + heldBytes + write.wantedBytes <= policy.quotaBytes;
}

/**
 * Whether, after a grant, all writes could still end one after the other, each having grown to the guaranteed size: the banker's
 * algorithm (Dijkstra, EWD 623), with the guaranteed size as everybody's claim. Nobody gives back what it holds before it ends,
 * so that two halves of a result each could fill the last room and wait for each other for ever.
 *
 * The largest goes first: it needs the least, and so is never held back. Before each next one a sweep may bring what is stored down to
 * the target, no further. Writes beyond the guaranteed size have no claim, and can be made to give way. But they may end as well, and
 * then as much as the target is kept: so while there is one, that much counts as kept.
 */
function leavesAWayOut<Write extends RoomHolder>(
  { policy, storedBytes, writes }: Pick<RoomState<Write>, 'policy' | 'storedBytes' | 'writes'>,
  write: Write,
): boolean {
  const { quotaBytes, criticalBytes, targetBytes, guaranteedBytes } = policy;
  if (write.heldBytes > guaranteedBytes) return true;
  const goesBeyond = grownBytes(write) > guaranteedBytes;
  const claimants = writes.filter(({ heldBytes }) => heldBytes <= guaranteedBytes);
  if (!goesBeyond && claimants.every(({ heldBytes }) => heldBytes <= write.heldBytes)) return true;
  const held = claimants
    .filter((each) => each !== write || !goesBeyond)
    .map((each) => (each === write ? grownBytes(each) : each.heldBytes))
    .toSorted((one, other) => other - one);
  let othersBytes = held.reduce((sum, bytes) => sum + bytes, 0);
  if (othersBytes <= quotaBytes - criticalBytes) return true;
  let floorBytes = goesBeyond || claimants.length < writes.length ? targetBytes : Math.min(storedBytes, targetBytes);
  for (const bytes of held) {
    othersBytes -= bytes;
    if (othersBytes > quotaBytes - guaranteedBytes - floorBytes) return false;
    floorBytes = Math.min(targetBytes, floorBytes + guaranteedBytes);
  }
  return true;
}

function grownBytes({ heldBytes, wantedBytes }: RoomHolder): number {
  return heldBytes + wantedBytes;
}

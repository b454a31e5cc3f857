/*
 * All kinds of waiting: for a time, for a turn, for an outcome. An abort always becomes a
 * QuireError. Time slices need Node; the rest runs anywhere.
 */
export { sleepUnlessAborted, unlessAborted, untilAborted } from './abort.ts';
export { Deadline, type DeadlineOptions, withDeadline } from './deadline.ts';
export {
  FairSlots,
  type PrincipalShare,
  type RefusedClaim,
  type SlotClaim,
  type SlotShares,
  type WaitReason,
} from './fair-slots.ts';
export { KeyedQueue } from './keyed-queue.ts';
export { RecentValue, type RecentValueLimits } from './recent-value.ts';
export { Sleeper } from './sleeper.ts';
export { type ReleaseSlot, Slots, type WaitingLimit } from './slots.ts';
export { yieldToEventLoop, TimeSlice } from './time-slice.ts';

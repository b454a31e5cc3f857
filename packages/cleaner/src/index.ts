export { type AdmissionCleaner, StorageAdmission } from './admission.ts';
export { BrokerSnapshot, type OrphanObject } from './broker-snapshot.ts';
export { CleanerMetrics } from './cleaner-metrics.ts';
export {
  type CleanerServer,
  createCleanerMetrics,
  serveCleaner,
  type CleanerServerOptions,
} from './cleaner-server.ts';
export type { CleanerSettings } from './cleaner-settings.ts';
export {
  Cleaner,
  cleanerLease,
  leaseKey,
  type CleanerLog,
  type CleanerOptions,
  type CleanerStatus,
  type SweepRequest,
} from './cleaner.ts';
export { planExpiry } from './plan-expiry.ts';
export {
  planOrphans,
  type OrphanCandidate,
  type OrphanPlan,
  type Observations,
} from './plan-orphans.ts';
export { planQuota, type QuotaUsage } from './plan-quota.ts';
export { type OwnerAmount, OwnerUsage } from './owner-usage.ts';
export {
  type OwnerShareOptions,
  QuotaPolicy,
  type QuotaOptions,
  type ShareOptions,
} from './quota-policy.ts';
export { readSnapshots, type ReadSnapshotsOptions } from './read-snapshots.ts';
export type { SkippableResults } from './remembered-results.ts';
export { firstDelayMs, nextDelayMs, type ScheduleOptions } from './sweep-schedule.ts';
export type {
  Amount,
  BrokerReport,
  OwnerReport,
  PassReport,
  Removal,
  SweepReport,
  SweepTrigger,
  SweepReason,
} from './sweep-report.ts';
export { StoreSweeper, type SweepOptions } from './sweep-store.ts';
export {
  type Leftovers,
  type ResultRemover,
  storeRemover,
  type SweepTarget,
  type LeftoverEntry,
} from './sweep-target.ts';
export type { Refusal, ReservationQueue } from './reservation-queue.ts';
export type { ChangesSinceSweep } from './changes-since-sweep.ts';
export type { LimitUsage, PendingWait, PendingWrite, StorageUsage } from './storage-usage.ts';

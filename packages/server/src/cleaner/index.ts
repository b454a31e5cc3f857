export type { OpenedStore } from '../stores/open-store.ts';
export type { ChangingSettings } from './open-cleaner.ts';
export { cleanerSettingsOf, ownerNamesOf } from './cleaner-settings.ts';
export {
  type BrokerUsage,
  measureUsage,
  type OwnerUsagePart,
  type StoreUsage,
  type UsagePart,
} from './measure-usage.ts';
export { openSharedStore, type StandaloneCleaner, withStandaloneCleaner } from './run-cleaner.ts';

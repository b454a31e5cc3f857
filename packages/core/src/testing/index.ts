export { chunksOf, patternBytes } from './byte-sources.ts';
export { collect } from './byte-sources.ts';
export {
  type Fault,
  faultAt,
  type FaultCall,
  faultOn,
  type FaultPlan,
  noFaults,
  randomFailures,
} from './fault-plan.ts';
export { FaultStore, type FaultStoreOptions } from './fault-store.ts';
export { ManualClock, type ManualClockOptions } from './manual-clock.ts';
export { RecordingTracer } from './recording-tracer.ts';
export { type RecordedCall, RecordingStore } from './recording-store.ts';
export { SeededRandom } from './seeded-random.ts';

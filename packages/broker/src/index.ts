export { BrokerMetrics } from './broker-metrics.ts';
export type { BrokerOptions, FileTableSize } from './broker-options.ts';
export type { QueryShares } from './query-queue.ts';
export type { ReusePolicy } from './result-reuse.ts';
export { createBroker } from './create-broker.ts';
export type { FlightOptions } from './flight-options.ts';

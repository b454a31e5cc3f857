export { BrokerMetrics } from './broker-metrics.ts';
export type { BrokerOptions } from './broker-options.ts';
export { createBroker } from './create-broker.ts';

export { BrokerMetrics } from './broker-metrics.ts';
export type { BrokerOptions } from './broker-options.ts';
export { type Broker, type BrokerAddress, createBroker } from './create-broker.ts';

export type { BrokerDirectoryOptions } from './http/broker-directory.ts';
export type { ClusterProbe, ClusterProblem } from './http/probe-cluster.ts';
export type { PinotHttpOptions } from './http/pinot-http.ts';
export { PinotTableEngine, type PinotTableEngineOptions } from './tables/pinot-table-engine.ts';
export { PinotEngine, type PinotEngineOptions } from './query/pinot-engine.ts';
export { completeTableConfig } from './tables/table-configs.ts';

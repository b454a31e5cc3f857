export { createProxy } from './create-proxy.ts';
export { ProxyMetrics, type RouteSource } from './proxy-metrics.ts';
export type { ProxyOptions, ProxyTimeouts } from './proxy-options.ts';

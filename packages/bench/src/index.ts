export {
  type BenchOptions,
  type BenchPlan,
  type BenchReport,
  type Measurement,
  type OffsetChoice,
  planBench,
  runBench,
} from './run-bench.ts';
export { renderReport } from './render-report.ts';
export type { PageFormatName } from '@quire/core/wire';
export type { Dialect, PageServerOptions } from './page-server.ts';

import { linkOperations } from './link-operation.ts';
import { pinotOperations } from './pinot/pinot-operations.ts';
import { tableOperations } from './pinot/table-operations.ts';
import { queryOperations } from './query-operations.ts';
import { resultOperations } from './result-operations.ts';
import { runningQueryOperations } from './running-query-operations.ts';
import { serviceOperations } from './service-operations.ts';
import { settingsOperation } from './settings-operation.ts';
import { sweepOperation } from './sweep-operation.ts';

/**
 * Every call of a broker (CONTRACT.md section 2). `readLink`, `readSweepPlan` and
 * `readBrokerSettings` exist only if they are enabled.
 */
export const brokerOperations = {
  ...queryOperations,
  ...runningQueryOperations,
  ...resultOperations,
  ...linkOperations,
  ...pinotOperations,
  ...tableOperations,
  readSweepPlan: sweepOperation,
  readBrokerSettings: settingsOperation,
  ...serviceOperations,
} as const;

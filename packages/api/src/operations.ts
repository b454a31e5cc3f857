import { resultOperations } from './result-operations.ts';
import { queryOperations } from './query-operations.ts';
import { serviceOperations } from './service-operations.ts';

/** Every call of a broker (CONTRACT.md section 2). */
export const operations = { ...queryOperations, ...resultOperations, ...serviceOperations } as const;

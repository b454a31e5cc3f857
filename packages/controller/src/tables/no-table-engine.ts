import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';

/**
 * The engine of a controller without tables: only the tables of brokers can be read, and nothing
 * can be changed.
 */
const reads: Partial<TableEngine> = {
  description: 'none',
  listSchemas: async () => [],
  listTables: async () => [],
  listTenants: async () => ({ brokerTenants: ['DefaultTenant'], serverTenants: ['DefaultTenant'] }),
  listInstances: async () => [],
  listProblems: async () => [],
  readSchema: async (name) => {
    throw new QuireError('SCHEMA_NOT_FOUND', `There is no schema '${name.slice(0, 200)}'.`);
  },
  readTable: async (name) => {
    throw new QuireError('TABLE_NOT_FOUND', `There is no table '${name.slice(0, 200)}'.`);
  },
};

const refuse = async (): Promise<never> => {
  throw new QuireError(
    'UNSUPPORTED',
    'This controller manages no tables. Run the role `server` beside it, or set engine.kind = pinot.',
  );
};

export const noTableEngine = new Proxy({} as TableEngine, {
  get: (_target, name) => reads[name as keyof TableEngine] ?? refuse,
});

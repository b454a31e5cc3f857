import { duckDbSettings } from '@quire/engine-duckdb/settings';
import { pinotSettings } from '@quire/engine-pinot/settings';

/** Every kind of engine, the default first: the one list of them. */
export const engines = [duckDbSettings, pinotSettings] as const;

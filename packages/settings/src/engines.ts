import { duckDbSettings } from '@quire/engine-duckdb/settings';
import { pinotSettings } from '@quire/engine-pinot/settings';

/** The list of all engine kinds, the default first. */
export const engines = [duckDbSettings, pinotSettings] as const;

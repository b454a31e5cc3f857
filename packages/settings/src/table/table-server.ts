import { names } from '../list-kind.ts';
import { path } from '../path-kind.ts';
import { optionalSetting, setting } from '../setting-row.ts';

/** What the embedded table server keeps, and where. */
export const tableServer = {
  dataDir: optionalSetting({
    key: 'engine.tables.data.dir',
    kind: path,
    meaning:
      'The directory of tables, their schemas and their rows. One process with the role `server` may have it open; brokers that ' +
      'share it answer queries about its tables. Without it there are the tables of `engine.table.<name>.path` only. ' +
      'Where `engine.kind` is `pinot`, the controller keeps the records of restream jobs there, and looks after the tables of the cluster only with it.',
  }),
  tenants: setting({
    key: 'engine.tables.tenants',
    kind: names,
    default: 'DefaultTenant',
    meaning: 'The tenants that configs of tables may name.',
  }),
  samplesDir: optionalSetting({
    key: 'engine.tables.samples.dir',
    kind: path,
    meaning:
      'A directory of sample tables that the role `server` makes at its start when they are not there: `<name>.schema.json`, ' +
      '`<name>.table.json`, `<name>.task.json` (the body of `POST /tasks/execute`) and `<name>.feed.json` (a file whose rows go to a ' +
      'file stream). Paths in them start from it.',
  }),
};

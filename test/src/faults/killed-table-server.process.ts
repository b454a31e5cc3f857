/** A table server that consumes until it is killed; says `open` when it is. Arguments: its directory, that of its streams. */
import { MiB, systemClock, systemRandom } from '@quire/core';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';

const [, , dataDirectory = '', fileDirectory = ''] = process.argv;

await EmbeddedTableEngine.open({
  dataDirectory,
  clock: systemClock,
  random: systemRandom,
  tenants: ['DefaultTenant'],
  host: 'localhost',
  finder: undefined,
  rowBytesMax: MiB,
  graceMs: 60_000,
  openStream: (config) => openStream(config, { fileDirectory }),
});
process.send?.('open');
// Nobody to work for.
process.on('disconnect', () => process.exit(0));

/** A table server that consumes until it is killed; says `open` when it is. Arguments: its directory, that of its streams. */
import { openEmbeddedTables } from '../testkit/embedded-tables.ts';

const [, , dataDirectory = '', streamDirectory = ''] = process.argv;

await openEmbeddedTables({ dataDirectory, streamDirectory });
process.send?.('open');
// Nobody to work for.
process.on('disconnect', () => process.exit(0));

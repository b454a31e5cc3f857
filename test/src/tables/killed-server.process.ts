/**
 * A table server that consumes until it is killed; prints `open` when it is open. Its argument is a
 * TrialSetup as JSON.
 */
import { flushCompileCache } from 'node:module';
import { openStream } from '@quire/streams';
import { openEmbeddedTables } from '../testkit/embedded-tables.ts';
import type { TrialSetup } from './kill-trial.ts';

const { dataDirectory, options } = JSON.parse(process.argv[2] ?? '') as TrialSetup;

await openEmbeddedTables({
  dataDirectory,
  streamDirectory: '',
  openStream: (config) => openStream(config, options),
});
// Node writes its compile cache at the exit of a process, but this one is killed.
flushCompileCache();
process.send?.('open');
// The parent has exited.
process.on('disconnect', () => process.exit(0));

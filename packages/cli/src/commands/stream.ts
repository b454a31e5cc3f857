import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { addStreamAppendCommand } from './stream-append.ts';
import { addStreamTailCommand } from './stream-tail.ts';

/** Adds `quire stream` and its subcommands. */
export function addStreamCommand(program: Command, environment: Environment): void {
  const stream = program.command('stream').summary('write messages to a stream, and read them');
  stream.description(
    'Write messages to a file stream or a topic of Apache Kafka, and read them. Needs no Quire server.',
  );
  addStreamAppendCommand(stream, environment);
  addStreamTailCommand(stream, environment);
}

import type { Command } from '@commander-js/extra-typings';
import { isQuireError } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { FetchLimits, MessageStream, StreamMessage } from '@quire/streams';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { integerFrom } from '../number-option.ts';
import { streamOf, withStreamOptions } from '../stream/stream-options.ts';

const fetchLimits: FetchLimits = { messagesMax: 500, bytesMax: 1024 * 1024, waitMs: 1000 };

const startExpected =
  'Expected smallest, largest, a time such as 2026-01-31T12:00:00Z or an age such as 1h.';

const examples = `
Prints the value of each message as a line, until Ctrl-C or until --rows messages are printed.

Examples:
  $ quire stream tail orders -s engine.stream.file.dir=streams
  $ quire stream tail orders --from 1h --rows 100 --json
  $ quire stream tail orders --from smallest --kafka localhost:9092`;

/** Adds `quire stream tail`. */
export function addStreamTailCommand(stream: Command, environment: Environment): void {
  withStreamOptions(stream.command('tail'))
    .summary('print the messages of a topic as they arrive')
    .description('Print the messages of all partitions of a topic, and wait for more.')
    .argument('<topic>', 'the topic')
    .option(
      '--from <start>',
      'start at smallest, largest (default), a time or an age: 2026-01-31T12:00:00Z, 1h',
    )
    .option('-n, --rows <count>', 'stop after this many messages', integerFrom(1))
    .option(
      '--json',
      'print partition, offset, time, key and value of each message as a JSON object',
    )
    .addHelpText('after', examples)
    .action(async (topic, options, command) => {
      // Loaded on demand, with the Kafka client, so that the other commands start without it.
      const { findStartOffset, openStream, parseStreamStart } = await import('@quire/streams');
      const start = parseStreamStart(options.from ?? 'largest');
      if (start === undefined) {
        return command.error(
          `error: option '--from <start>' argument '${options.from}' is invalid. ${startExpected}`,
        );
      }
      using interrupt = abortOnInterrupt(environment);
      const { config, access } = await streamOf(topic, options, environment);
      await using messages = openStream(config, access);
      const ended = new AbortController();
      const signal = AbortSignal.any([interrupt.signal, ended.signal]);
      let left = options.rows ?? Infinity;
      const print = async (partition: number, message: StreamMessage): Promise<void> => {
        if (left <= 0) return;
        left -= 1;
        const line =
          options.json === true ? jsonLine(partition, message) : `${textOf(message.value)}\n`;
        await unlessAborted(environment.stdout.write(line), interrupt.signal);
        if (left <= 0) ended.abort();
      };
      try {
        const partitions = await messages.readPartitions({ signal });
        const { clock } = environment;
        const tails = partitions.map(async ({ partition }) => {
          const from = await findStartOffset(messages, partition, start, { signal, clock });
          await follow(messages, { partition, from, signal }, (message) =>
            print(partition, message),
          );
        });
        // A partition that fails ends the others.
        await Promise.all(
          tails.map((tail) =>
            tail.catch((error: unknown) => {
              ended.abort();
              throw error;
            }),
          ),
        );
      } catch (error) {
        // Ctrl-C is the usual end of a tail.
        if (!isQuireError(error, 'ABORTED')) throw error;
      }
    });
}

async function follow(
  stream: MessageStream,
  {
    partition,
    from,
    signal,
  }: { readonly partition: number; readonly from: number; readonly signal: AbortSignal },
  onMessage: (message: StreamMessage) => Promise<void>,
): Promise<void> {
  for (let offset = from; !signal.aborted;) {
    const { messages, nextOffset } = await stream.fetch(partition, offset, fetchLimits, { signal });
    for (const message of messages) await onMessage(message);
    offset = nextOffset;
  }
}

function jsonLine(partition: number, { offset, timestampMs, key, value }: StreamMessage): string {
  const time = timestampMs === null ? null : new Date(timestampMs).toISOString();
  const texts = {
    key: key === null ? null : textOf(key),
    value: value === null ? null : textOf(value),
  };
  return `${JSON.stringify({ partition, offset, time, ...texts })}\n`;
}

function textOf(bytes: Uint8Array | null): string {
  return Buffer.from(bytes ?? []).toString();
}

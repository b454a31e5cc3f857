import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import {
  type Clock,
  type JsonValue,
  parseLosslessJson,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import type { MessageProducer, NewMessage } from '@quire/streams';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { integerFrom } from '../number-option.ts';
import { grouped } from '../phrases.ts';
import { streamOf, withStreamOptions } from '../stream/stream-options.ts';

/** The number of messages that are written at once without a rate limit. */
const batchMax = 500;

const examples = `
The file has one JSON object per line. Ctrl-C stops after a whole batch; messages that are already written are kept.

Examples:
  $ quire stream append orders orders.jsonl -s engine.stream.file.dir=streams
  $ quire stream append orders orders.jsonl --rate 300 --partitions 2 --key customer -c quire.properties
  $ quire stream append orders orders.jsonl --kafka localhost:9092`;

/** Adds `quire stream append`. */
export function addStreamAppendCommand(stream: Command, environment: Environment): void {
  withStreamOptions(stream.command('append'))
    .summary('write the lines of a file to a topic')
    .description(
      'Write each line of a file as a message to a topic. A file topic is created if it does not exist.',
    )
    .argument('<topic>', 'the topic')
    .argument('<file>', 'the file, with one JSON object per line')
    .option('--rate <count>', 'messages to write per second', integerFrom(1))
    .option('--partitions <count>', 'smallest number of partitions of a file topic', integerFrom(1))
    .option(
      '--key <field>',
      'send messages with the same value of this field to the same partition',
    )
    .option('--json', 'print what was written as a JSON object')
    .addHelpText('after', examples)
    .action(async (topic, file, options, command) => {
      if (options.kafka !== undefined && options.partitions !== undefined) {
        command.error('error: --partitions is for file streams');
      }
      // Loaded on demand, with the Kafka client, so that the other commands start without it.
      const { openProducer } = await import('@quire/streams');
      using interrupt = abortOnInterrupt(environment);
      const { config, access } = await streamOf(topic, options, environment);
      await using producer = await openProducer(config, {
        ...access,
        partitionCount: options.partitions,
      });
      const path = resolve(environment.directory, file);
      const messages = readMessages(path, file, options.key);
      const written = await appendAll(producer, messages, {
        clock: environment.clock,
        rate: options.rate,
        signal: interrupt.signal,
      });
      const { stdout } = environment;
      if (options.json === true) await stdout.write(`${JSON.stringify({ topic, written })}\n`);
      else await stdout.write(`${grouped(written)} messages written to ${producer.description}\n`);
    });
}

/**
 * Writes all messages, at a limited rate, and counts them. @throws ABORTED when the signal is
 * aborted
 */
async function appendAll(
  producer: MessageProducer,
  messages: AsyncIterable<NewMessage>,
  {
    clock,
    rate,
    signal,
  }: { readonly clock: Clock; readonly rate: number | undefined; readonly signal: AbortSignal },
): Promise<number> {
  // Ten batches a second look like a continuous stream.
  const size =
    rate === undefined ? batchMax : Math.max(1, Math.min(batchMax, Math.round(rate / 10)));
  const startedMs = clock.monotonicMs();
  let written = 0;
  let batch: NewMessage[] = [];
  const flush = async (): Promise<void> => {
    throwIfAborted(signal);
    await producer.append(batch);
    written += batch.length;
    batch = [];
    const aheadMs =
      rate === undefined ? 0 : startedMs + (written / rate) * 1000 - clock.monotonicMs();
    if (aheadMs > 0) await clock.sleep(aheadMs, signal);
  };
  for await (const message of messages) {
    batch.push(message);
    if (batch.length >= size) await flush();
  }
  if (batch.length > 0) await flush();
  return written;
}

/**
 * Reads the lines of a file as messages; blank lines are skipped. @throws INVALID_BODY when a line
 * is not a JSON object
 */
async function* readMessages(
  path: string,
  name: string,
  keyField: string | undefined,
): AsyncGenerator<NewMessage> {
  let number = 0;
  for await (const line of readLines(path, name)) {
    number += 1;
    if (line.trim() === '') continue;
    const row = parseRow(line, `Line ${number} of ${name}`);
    const key = keyField === undefined ? undefined : row[keyField];
    yield {
      key: key === undefined || key === null ? null : Buffer.from(textOf(key)),
      value: Buffer.from(line.trim()),
    };
  }
}

/**
 * Reads lines as JSON Lines define them. (Node's `readline` also ends them at U+2028 and U+2029,
 * which JSON allows in texts.)
 *
 * @throws INVALID_PARAMETER when the file cannot be read, INVALID_BODY when it is not UTF-8
 */
async function* readLines(path: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Uint8Array>) {
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      rest += first;
      for (const next of others) {
        yield rest;
        rest = next;
      }
    }
    yield rest + decoder.decode();
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw new QuireError('INVALID_BODY', `${name} is not UTF-8 text.`, { cause });
    }
    if (!(cause instanceof Error && 'errno' in cause)) throw cause;
    throw new QuireError('INVALID_PARAMETER', `${name} cannot be read: ${cause.message}.`, {
      cause,
    });
  }
}

function parseRow(line: string, subject: string): Readonly<Record<string, JsonValue>> {
  let value: JsonValue;
  try {
    value = parseLosslessJson(line);
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause;
    throw new QuireError('INVALID_BODY', `${subject} is not JSON: ${cause.message}.`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, JsonValue>>;
  }
  throw new QuireError('INVALID_BODY', `${subject} is not a JSON object.`);
}

function textOf(value: JsonValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { OpenStreamOptions } from '@quire/streams';
import { QuireError } from '@quire/core';
import type { Environment } from '../environment.ts';
import { readSettings, type SettingsOptions, withSettingsOptions } from '../settings-options.ts';

export interface StreamOptions extends SettingsOptions {
  readonly kafka?: string | undefined;
}

/** Adds the options for the location of a stream. */
export function withStreamOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return withSettingsOptions(command).option(
    '-k, --kafka <brokers>',
    'the topic of an Apache Kafka at these addresses, host:port separated by commas; else a file stream under engine.stream.file.dir',
  );
}

/**
 * Returns the config of a topic's stream, and the access to it: the user of the command names the
 * brokers. @throws STREAM_INVALID when the settings name no directory of file streams
 */
export async function streamOf(
  topic: string,
  options: StreamOptions,
  environment: Environment,
): Promise<{
  readonly config: Readonly<Record<string, string>>;
  readonly access: OpenStreamOptions;
}> {
  const { settings } = await readSettings(options, environment);
  const { clock } = environment;
  if (options.kafka === undefined) {
    const { fileDirectory } = settings.streams;
    if (fileDirectory === undefined) {
      throw new QuireError(
        'STREAM_INVALID',
        `There is no directory of file streams: \`engine.stream.file.dir\` is not set. ${options.config === undefined ? "Name the server's settings by -c" : 'Set it in the file or by -s'}, or name a Kafka by -k.`,
      );
    }
    return {
      config: { streamType: 'file', 'stream.file.topic.name': topic },
      access: { clock, fileDirectory },
    };
  }
  const config = {
    streamType: 'kafka',
    'stream.kafka.topic.name': topic,
    'stream.kafka.broker.list': options.kafka,
  };
  return { config, access: { clock, kafkaBrokers: ['*'] } };
}

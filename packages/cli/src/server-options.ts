import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import { QuireClient } from '@quire/client';
import type { Environment } from './environment.ts';

const defaultUrl = 'http://127.0.0.1:8099';

export interface ServerOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly user?: string | undefined;
}

/** Adds the options that say which server to call, and as whom. */
export function withServerOptions<Args extends unknown[], Options extends OptionValues, Globals extends OptionValues>(
  command: Command<Args, Options, Globals>,
) {
  return command
    .addOption(new Option('--url <url>', `address of the server (or QUIRE_URL; default: ${defaultUrl})`).argParser(parseUrl))
    .addOption(new Option('--token <token>', 'bearer token (or QUIRE_TOKEN, which other processes cannot see)').conflicts('user'))
    .addOption(new Option('--user <name:password>', 'name and password, in the place of a token').argParser(parseUser));
}

/** A client of the server that the options name. @throws INVALID_PARAMETER when QUIRE_URL is no address */
export function createClient(options: ServerOptions, { variables }: Environment): QuireClient {
  const baseUrl = options.url ?? variables['QUIRE_URL'] ?? defaultUrl;
  if (options.user !== undefined) {
    return new QuireClient({ baseUrl, authorization: `Basic ${Buffer.from(options.user, 'utf8').toString('base64')}` });
  }
  return new QuireClient({ baseUrl, token: options.token ?? variables['QUIRE_TOKEN'] });
}

function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError(`Expected for example ${defaultUrl}.`);
}

function parseUser(text: string): string {
  if (text.includes(':')) return text;
  throw new InvalidArgumentError('Expected a name and a password with a colon between them.');
}

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
export function createClient(options: ServerOptions, { variables, clock, random }: Environment): QuireClient {
  const surroundings = { baseUrl: options.url ?? variables['QUIRE_URL'] ?? defaultUrl, clock, random };
  if (options.user !== undefined) return new QuireClient({ ...surroundings, basic: splitUser(options.user) });
  return new QuireClient({ ...surroundings, token: options.token ?? variables['QUIRE_TOKEN'] });
}

/** A name ends at the first colon; a password may have more. */
function splitUser(text: string): { readonly user: string; readonly password: string } {
  const end = text.indexOf(':');
  return { user: text.slice(0, end), password: text.slice(end + 1) };
}

function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError(`Expected for example ${defaultUrl}.`);
}

function parseUser(text: string): string {
  if (text.includes(':')) return text;
  throw new InvalidArgumentError('Expected a name and a password with a colon between them.');
}

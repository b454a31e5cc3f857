import {
  type Command,
  InvalidArgumentError,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings';
import {
  QuireAdminClient,
  QuireClient,
  type QuireClientOptions,
  QuireQueryClient,
} from '@quire/client';
import type { Environment } from './environment.ts';

/** A kind of server that commands call: its default address, and the variable that overrides it. */
interface ServerKind {
  readonly name: string;
  readonly defaultUrl: string;
  readonly variable: string;
}

const broker: ServerKind = {
  name: 'server',
  defaultUrl: 'http://127.0.0.1:8099',
  variable: 'QUIRE_URL',
};
const controller: ServerKind = {
  name: 'controller',
  defaultUrl: 'http://127.0.0.1:9000',
  variable: 'QUIRE_CONTROLLER_URL',
};

export interface ServerOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly user?: string | undefined;
}

/** Adds the options for the address and the credentials of a server. */
export function withServerOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return withOptionsFor(broker, command);
}

/** Adds the options for the address and the credentials of a controller. */
export function withControllerOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return withOptionsFor(controller, command);
}

function withOptionsFor<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>({ name, defaultUrl, variable }: ServerKind, command: Command<Args, Options, Globals>) {
  const url = new Option(
    '--url <url>',
    `address of the ${name} (or ${variable}; default: ${defaultUrl})`,
  );
  return command
    .addOption(url.argParser((text: string) => parseUrl(text, defaultUrl)))
    .addOption(
      new Option(
        '--token <token>',
        'bearer token (or QUIRE_TOKEN, which other processes cannot see)',
      ).conflicts('user'),
    )
    .addOption(
      new Option('--user <name:password>', 'name and password, instead of a token').argParser(
        parseUser,
      ),
    );
}

/**
 * Creates a client of the server that the options name. @throws INVALID_PARAMETER when QUIRE_URL is
 * not an address
 */
export function createClient(options: ServerOptions, environment: Environment): QuireClient {
  return new QuireClient(clientOptionsOf(broker, options, environment));
}

/** Creates a client for queries that are read while they run. */
export function createQueryClient(
  options: ServerOptions,
  environment: Environment,
): QuireQueryClient {
  return new QuireQueryClient(clientOptionsOf(broker, options, environment));
}

/**
 * Creates a client of the controller that the options name. @throws INVALID_PARAMETER when
 * QUIRE_CONTROLLER_URL is not an address
 */
export function createAdminClient(
  options: ServerOptions,
  environment: Environment,
): QuireAdminClient {
  return new QuireAdminClient(clientOptionsOf(controller, options, environment));
}

function clientOptionsOf(
  kind: ServerKind,
  options: ServerOptions,
  { variables, clock, random }: Environment,
): QuireClientOptions {
  // An empty variable counts as not set, like those of settings.
  const given = (name: string): string | undefined =>
    variables[name] === '' ? undefined : variables[name];
  const connection = {
    baseUrl: options.url ?? given(kind.variable) ?? kind.defaultUrl,
    clock,
    random,
  };
  if (options.user !== undefined) return { ...connection, basic: splitUser(options.user) };
  return { ...connection, token: options.token ?? given('QUIRE_TOKEN') };
}

/** Splits at the first colon; a password may contain more. */
function splitUser(text: string): { readonly user: string; readonly password: string } {
  const end = text.indexOf(':');
  return { user: text.slice(0, end), password: text.slice(end + 1) };
}

function parseUrl(text: string, defaultUrl: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError(`Expected for example ${defaultUrl}.`);
}

function parseUser(text: string): string {
  if (text.includes(':')) return text;
  throw new InvalidArgumentError('Expected a name and a password with a colon between them.');
}

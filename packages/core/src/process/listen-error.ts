import { QuireError } from '../errors.ts';

/** The address that a server tried to listen on, and its names in messages. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The names of the settings for both. Default: `host` and `port`. */
  readonly hostKey?: string;
  readonly portKey?: string;
  /** A program that may be listening there already: `another broker`. */
  readonly suspect?: string;
}

/**
 * Converts the failure of a server to listen into an INVALID_SETTING with a sentence; returns any
 * other error unchanged.
 */
export function listenError<Failure>(error: Failure, address: ListenAddress): Failure | QuireError {
  const message = messageFor(systemCodeOf(error), address);
  return message === undefined
    ? error
    : new QuireError('INVALID_SETTING', message, { cause: error });
}

function systemCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'syscall' in error && 'code' in error ? error.code : systemCodeOf(error.cause);
}

function messageFor(
  code: unknown,
  { host, port, hostKey = 'host', portKey = 'port', suspect }: ListenAddress,
): string | undefined {
  switch (code) {
    case 'EADDRINUSE': {
      const already = `another process already listens on ${host}${suspect === undefined ? '' : `, perhaps ${suspect}`}`;
      const advice = portKey === 'port' ? '' : `: --set ${portKey}=0`;
      return `${portKey} = ${port}: ${already}. Choose another port, or 0 for any free one${advice === '' ? '.' : advice}`;
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${hostKey} = ${host}: this machine has no such address.`;
    case 'EACCES':
      return `${portKey} = ${port}: this user is not permitted to listen on this port.`;
    default:
      return undefined;
  }
}

import { forwardHeaders } from '@quire/api';
import { QuireError } from '@quire/core';
import type { RawHeaders } from '../forwarding/end-to-end-headers.ts';

/** Where a caller says that a result is. It only ever chooses among the brokers that are configured. */
export interface ForwardTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads FORWARD_HOST and FORWARD_PORT: both, each once, or neither.
 *
 * @throws INVALID_PARAMETER when one is missing, is there twice, or cannot be a host and a port
 */
export function parseForwardTarget(rawHeaders: RawHeaders): ForwardTarget | undefined {
  const hosts = valuesOf(rawHeaders, forwardHeaders.host);
  const ports = valuesOf(rawHeaders, forwardHeaders.port);
  if (hosts.length === 0 && ports.length === 0) return undefined;
  const [host = '', port = ''] = [hosts[0], ports[0]];
  if (hosts.length !== 1 || ports.length !== 1) {
    throw new QuireError('INVALID_PARAMETER', 'FORWARD_HOST and FORWARD_PORT must be sent together, each once.');
  }
  if (!/^[\w.:-]{1,255}$/.test(host) || !/^[0-9]{1,5}$/.test(port)) throw unknownTarget();
  return { host, port: Number(port) };
}

/** The error for a target that is not one of the brokers; it does not repeat what the caller made up. */
export function unknownTarget(): QuireError {
  return new QuireError('INVALID_PARAMETER', 'FORWARD_HOST and FORWARD_PORT name no broker of this proxy.');
}

function valuesOf(rawHeaders: RawHeaders, wanted: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === wanted) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

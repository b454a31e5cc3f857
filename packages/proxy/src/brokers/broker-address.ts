import { QuireError } from '@quire/core';

/** Where a broker is called. Two of the same `origin` are one broker. */
export interface BrokerAddress {
  /** `http://host:port` or `https://host:port`, the port always there. */
  readonly origin: string;
  /** The host as it was configured, without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * The name that its certificate must have, where that is not its host: of brokers that a DNS name
   * stands for.
   */
  readonly certificateName?: string;
}

/**
 * Reads a broker's URL: `http://host:port` or `https://host:port`, with nothing behind it.
 *
 * @throws INVALID_SETTING when it is anything else
 */
export function parseBrokerUrl(text: string): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare =
    url?.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === '';
  if (url === undefined || !isBare || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new QuireError(
      'INVALID_SETTING',
      `The URL of a broker is ${text}: expected http://host:port or https://host:port.`,
    );
  }
  const port = Number(url.port) || defaultPorts[url.protocol];
  return {
    origin: `${url.protocol}//${url.hostname}:${port}`,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
  };
}

const defaultPorts = { 'http:': 80, 'https:': 443 } as const;

/** The address of one of the machines that a name stands for. */
export function addressOfMachine(named: BrokerAddress, ip: string): BrokerAddress {
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const scheme = named.origin.slice(0, named.origin.indexOf(':'));
  return {
    origin: `${scheme}://${host}:${named.port}`,
    host: ip,
    port: named.port,
    certificateName: named.host,
  };
}

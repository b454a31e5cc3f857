import { QuireError } from '@quire/core';

/** The address of a broker. Two with the same `origin` are one broker. */
export interface BrokerAddress {
  /** `http://host:port` or `https://host:port`, always with the port. */
  readonly origin: string;
  /** The host as it was configured, without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * The name that its certificate must have, if that is not its host: for brokers found with a DNS
   * name.
   */
  readonly certificateName?: string;
}

/**
 * Parses a broker's URL: `http://host:port` or `https://host:port`, without anything after it.
 *
 * @throws INVALID_SETTING when it is not valid
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

/** Returns the address of one of the machines behind a name. */
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

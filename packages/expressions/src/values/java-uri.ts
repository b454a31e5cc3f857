/** The parts of an address as java.net.URI takes them apart: what is not there is null. */
export interface JavaUri {
  readonly scheme: string | null;
  readonly userInfo: string | null;
  readonly host: string | null;
  readonly port: number;
  /** As written, and with its escapes decoded; null where nothing of a path can be. */
  readonly rawPath: string | null;
  readonly path: string | null;
  readonly rawQuery: string | null;
  readonly query: string | null;
  readonly fragment: string | null;
}

const partsPattern = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?([^#]*)(?:#(.*))?$/s;
/** What RFC 2396 lets stand in an address, and what Java adds to it: letters and signs beyond ASCII. */
const legal = String.raw`[\w.!~*'();/?:@&=+$,[\]-]|%[\dA-Fa-f]{2}|[^\x00-\x9f\s\p{Z}]`;
const allLegal = new RegExp(`^(?:${legal})*$`, 'u');
const pathLegal = new RegExp(`^(?:(?![?[\\]])(?:${legal}))*$`, 'u');
const hostPattern =
  /^(?:\[[\da-f:.%\w]+\]|(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?\.?|\d{1,3}(?:\.\d{1,3}){3})$/i;
const authorityPattern = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/s;

/** Takes an address apart; undefined where Java would refuse it. */
export function parseJavaUri(text: string): JavaUri | undefined {
  const [, scheme = null, body = '', fragment] = partsPattern.exec(text) ?? [];
  if (text === '') return { ...nothing, rawPath: '', path: '' };
  if (!allLegal.test(body) || (fragment !== undefined && !allLegal.test(fragment))) return undefined;
  if (scheme === null && /^[^/?#]*:/.test(body)) return undefined;
  const shared = { scheme, fragment: fragment === undefined ? null : decodeEscapes(fragment) };
  if (scheme !== null && !body.startsWith('/')) return body === '' ? undefined : { ...nothing, ...shared };
  const [, slashed, authority, rawPath = '', rawQuery] = /^(\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s.exec(body) ?? [];
  if (!pathLegal.test(rawPath)) return undefined;
  if (slashed === '//' && rawPath === '' && rawQuery === undefined) return undefined;
  const server = readServer(authority);
  if (server === undefined) return undefined;
  const query = rawQuery === undefined ? null : rawQuery;
  return {
    ...shared,
    ...server,
    rawPath,
    path: decodeEscapes(rawPath),
    rawQuery: query,
    query: query === null ? null : decodeEscapes(query),
  };
}

/** Puts parts together as Java's constructor of seven does, which escapes what is not legal; undefined where it would refuse them. */
export function writeJavaUri(parts: Omit<JavaUri, 'rawPath' | 'rawQuery'>): string | undefined {
  const { scheme, userInfo, host, port, path, query, fragment } = parts;
  if (scheme !== null && path !== null && path !== '' && !path.startsWith('/')) return undefined;
  let written = scheme === null ? '' : `${scheme}:`;
  if (host !== null) {
    written += `//${userInfo === null ? '' : `${escapeIllegal(userInfo, /[\w.!~*'();:&=+$,-]/)}@`}${host}${port === -1 ? '' : `:${port}`}`;
  }
  written += escapeIllegal(path ?? '', /[\w.!~*'():@&=+$,;/-]/);
  if (query !== null) written += `?${escapeIllegal(query, /[\w.!~*'();/?:@&=+$,[\]%-]/)}`;
  if (fragment !== null) written += `#${escapeIllegal(fragment, /[\w.!~*'();/?:@&=+$,[\]%-]/)}`;
  return parseJavaUri(written) === undefined ? undefined : written;
}

const nothing: JavaUri = {
  scheme: null,
  userInfo: null,
  host: null,
  port: -1,
  rawPath: null,
  path: null,
  rawQuery: null,
  query: null,
  fragment: null,
};

function readServer(authority: string | undefined): Pick<JavaUri, 'userInfo' | 'host' | 'port'> | undefined {
  const none = { userInfo: null, host: null, port: -1 };
  if (authority === undefined || authority === '') return none;
  const [, userInfo = null, host = '', port = ''] = authorityPattern.exec(authority) ?? [];
  // What is not a server by name may still be the name of a registry, of which nothing is known.
  if (!hostPattern.test(host) || Number(port) > 2 ** 31 - 1) return authority.includes('[') ? undefined : none;
  return { userInfo: userInfo === null ? null : decodeEscapes(userInfo), host, port: port === '' ? -1 : Number(port) };
}

function decodeEscapes(text: string): string {
  return text.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'));
}

function escapeIllegal(text: string, kept: RegExp): string {
  return Array.from(text, (each) => {
    const isKept = kept.test(each) || (each > '\u009F' && !/[\s\p{Z}\p{C}]/u.test(each));
    return isKept ? each : percentEncode(each);
  }).join('');
}

function percentEncode(text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

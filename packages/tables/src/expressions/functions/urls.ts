import { expressionFailed } from '../values/expression-error.ts';
import { define, type FunctionDefinition, int, text, texts } from './function-definition.ts';

const example = 'https://www.example.co.uk:8080/a/b?x=1&y=2#end';

/**
 * Functions of URLs, which are parsed as java.net.URI does: a URL with a space or another illegal
 * character has no parts.
 */
export const urlFunctions: readonly FunctionDefinition[] = [
  part('urlProtocol', ({ scheme }) => scheme, 'The scheme'),
  part('urlDomain', ({ host }) => host, 'The host'),
  part(
    'urlDomainWithoutWWW',
    ({ host }) => host?.replace(/^www\./, '') ?? null,
    'The host without `www.`',
  ),
  part(
    'urlTopLevelDomain',
    ({ host }) => labelsOf(host)?.at(-1) ?? null,
    'The last label of the host',
  ),
  part(
    'urlFirstSignificantSubdomain',
    ({ host }) => significant(host)?.[0] ?? null,
    'The label that names the site',
  ),
  part(
    'cutToFirstSignificantSubdomain',
    ({ host }) => joined(host, false),
    'The host, starting with the label that names the site',
  ),
  part(
    'cutToFirstSignificantSubdomainWithWWW',
    ({ host }) => joined(host, true),
    'The host, starting with the label that names the site, or with `www.` if only that precedes it',
  ),
  define(
    'urlPort',
    [text],
    int,
    (url) => parseJavaUri(url)?.port ?? -1,
    'The port; -1 if there is none.',
    `urlPort('${example}')`,
  ),
  part(
    'urlPath',
    (uri) => (isFull(uri) ? uri.path : null),
    'The path, decoded, of a URL with scheme and host',
  ),
  part(
    'urlPathWithQuery',
    (uri) => (isFull(uri) ? uri.rawPath : null),
    'The path as written, without the query',
  ),
  part('urlQueryString', ({ rawQuery }) => rawQuery, 'The query as written'),
  part('urlFragment', ({ fragment }) => fragment, 'The text after `#`, decoded'),
  part(
    'urlQueryStringAndFragment',
    ({ query, fragment }) => {
      if (query === null && fragment === null) return null;
      return (
        (query ?? '') + (fragment === null ? '' : (query ?? '') === '' ? fragment : `#${fragment}`)
      );
    },
    'Query and fragment, decoded',
  ),
  part(
    'urlNetloc',
    ({ userInfo, host, port }) =>
      (userInfo === null || userInfo === '' ? '' : `${userInfo}@`) +
      (host ?? '') +
      (port === -1 ? '' : `:${port}`),
    'User, host and port',
  ),
  define(
    'extractURLParameter',
    [text, text],
    text,
    (url, name) => pairsOf(url).find(([key]) => key === name)?.[1] ?? '',
    'The value of a parameter of the query, or an empty text.',
    `extractURLParameter('${example}', 'y')`,
  ),
  define(
    'extractURLParameters',
    [text],
    texts,
    parametersOf,
    'The parameters of the query.',
    `extractURLParameters('${example}')`,
  ),
  define(
    'extractURLParameterNames',
    [text],
    texts,
    (url) => pairsOf(url).map(([key]) => key),
    'The names of the parameters of the query.',
    `extractURLParameterNames('${example}')`,
  ),
  define(
    'urlHierarchy',
    [text],
    texts,
    (url) => hierarchyOf(parseJavaUri(url)),
    'The URL up to each segment of its path.',
    `urlHierarchy('${example}')`,
  ),
  define(
    'urlPathHierarchy',
    [text],
    texts,
    (url) => pathHierarchyOf(parseJavaUri(url)?.path ?? ''),
    'The path up to each of its segments.',
    `urlPathHierarchy('${example}')`,
  ),
  define(
    'urlEncode',
    [text],
    text,
    encodeForm,
    'The text encoded like a form field; a space is `+`.',
    "urlEncode('a b&c')",
  ),
  define(
    'urlDecode',
    [text],
    text,
    (given) => decodeForm(given) ?? null,
    'The text decoded; null if an escape is invalid.',
    "urlDecode('a+b%26c')",
  ),
  define(
    'urlEncodeFormComponent',
    [text],
    text,
    encodeForm,
    'The same as `urlEncode`.',
    "urlEncodeFormComponent('a b')",
  ),
  define(
    'urlDecodeFormComponent',
    [text],
    text,
    (given) => decodeForm(given.replaceAll('+', '%20')) ?? null,
    'The same as `urlDecode`.',
    "urlDecodeFormComponent('a+b')",
  ),
  define('encodeUrl', [text], text, encodeForm, 'The same as `urlEncode`.', "encodeUrl('a b')"),
  define(
    'decodeUrl',
    [text],
    text,
    (given) => decodeForm(given) ?? fail(given),
    'The same as `urlDecode`, but an invalid escape fails.',
    "decodeUrl('a+b')",
  ),
  define(
    'cutWWW',
    [text],
    text,
    (url) => rewritten(url, (uri) => ({ ...uri, host: uri.host?.replace(/^www\./, '') ?? null })),
    'The URL without `www.`.',
    `cutWWW('${example}')`,
  ),
  define(
    'cutQueryString',
    [text],
    text,
    (url) => rewritten(url, (uri) => ({ ...uri, query: null })),
    'The URL without its query.',
    `cutQueryString('${example}')`,
  ),
  define(
    'cutFragment',
    [text],
    text,
    (url) => rewritten(url, (uri) => ({ ...uri, fragment: null })),
    'The URL without its fragment.',
    `cutFragment('${example}')`,
  ),
  define(
    'cutQueryStringAndFragment',
    [text],
    text,
    (url) => rewritten(url, (uri) => ({ ...uri, query: null, fragment: null })),
    'The URL without its query and fragment.',
    `cutQueryStringAndFragment('${example}')`,
  ),
  define(
    'cutURLParameter',
    [text, text],
    text,
    cutParameter,
    'The URL without a parameter of its query.',
    `cutURLParameter('${example}', 'x')`,
  ),
  define(
    'cutURLParameters',
    [text, texts],
    text,
    (url, names) => names.reduce(cutParameter, url),
    'The URL without several parameters of its query.',
    `cutURLParameters('${example}', ARRAY['x', 'y'])`,
  ),
];

function part(name: string, of: (uri: JavaUri) => string | null, does: string): FunctionDefinition {
  const call = (url: string): string | null => {
    const uri = parseJavaUri(url);
    return uri === undefined ? null : of(uri);
  };
  return define(
    name,
    [text],
    text,
    call,
    `${does}; null if there is none.`,
    `${name}('${example}')`,
  );
}

function isFull({ scheme, host }: JavaUri): boolean {
  return scheme !== null && host !== null;
}

function labelsOf(host: string | null): readonly string[] | undefined {
  return host === null ? undefined : javaSplit(host, '.');
}

/**
 * Returns the labels from the one that names the site on: the last two if the host ends in a
 * well-known suffix, otherwise the last three.
 */
function significant(host: string | null): readonly string[] | undefined {
  const labels = labelsOf(host);
  if (labels === undefined || labels.length <= 2) return labels;
  return labels.slice(['com', 'net', 'org', 'co'].includes(labels.at(-1) ?? '') ? -2 : -3);
}

function joined(host: string | null, keepsWww: boolean): string | null {
  const [labels, from] = [labelsOf(host), significant(host)];
  if (labels === undefined || from === undefined || labels.length <= 2) return host;
  const isBehindWww = keepsWww && labels[0] === 'www' && labels.length === from.length + 1;
  return (isBehindWww ? 'www.' : '') + from.join('.');
}

/** Splits a text like Java's `split`, without trailing empty pieces. */
function javaSplit(given: string, separator: string): readonly string[] {
  const pieces = given.split(separator);
  while (pieces.length > 1 && pieces.at(-1) === '') pieces.pop();
  return pieces.length === 1 && pieces[0] === '' && given !== '' ? [] : pieces;
}

function parametersOf(url: string): readonly string[] {
  const query = parseJavaUri(url)?.query ?? null;
  return query === null ? [] : javaSplit(query, '&');
}

function pairsOf(url: string): readonly (readonly [string, string])[] {
  return parametersOf(url).map((parameter) => {
    const [key = '', ...rest] = parameter.split('=');
    return [key, rest.join('=')] as const;
  });
}

function hierarchyOf(uri: JavaUri | undefined): readonly string[] {
  if (uri === undefined || !isFull(uri)) return [];
  const base = `${uri.scheme}://${uri.host}`;
  return [base, ...pathHierarchyOf(uri.path ?? '').map((path) => base + path)].slice(
    0,
    uri.path === '/' ? 0 : undefined,
  );
}

function pathHierarchyOf(path: string): readonly string[] {
  const pieces = path === '' ? [] : javaSplit(path, '/').slice(1);
  return pieces.map((_, index) => `/${pieces.slice(0, index + 1).join('/')}`);
}

function rewritten(url: string, change: (uri: JavaUri) => JavaUri): string {
  const uri = parseJavaUri(url);
  return uri === undefined ? url : (writeJavaUri(change(uri)) ?? url);
}

function cutParameter(url: string, name: string): string {
  const query = parseJavaUri(url)?.query ?? '';
  if (query === '') return url;
  const parameters = javaSplit(query, '&');
  const keys = parameters.map((parameter) => decodeForm(parameter.split('=')[0] ?? ''));
  if (keys.includes(undefined)) return url;
  const kept = parameters.filter((_, index) => keys[index] !== name).join('&');
  return rewritten(url, (uri) => ({ ...uri, query: kept === '' ? null : kept }));
}

/** Encodes text for a query string. An unpaired surrogate becomes a question mark, as in Java. */
function encodeForm(given: string): string {
  return new URLSearchParams([['', given.replaceAll(/\p{Surrogate}/gu, '?')]]).toString().slice(1);
}

function decodeForm(given: string): string | undefined {
  return /%(?![\dA-Fa-f]{2})/.test(given) ? undefined : decodeEscapes(given.replaceAll('+', ' '));
}

function fail(given: string): never {
  throw expressionFailed(`‘${given.slice(0, 60)}’ has an escape that is not two hex digits.`);
}

/** The parts of a URL as in java.net.URI; missing parts are null. */
interface JavaUri {
  readonly scheme: string | null;
  readonly userInfo: string | null;
  readonly host: string | null;
  readonly port: number;
  /** As written, and with its escapes decoded; null if the address cannot have a path. */
  readonly rawPath: string | null;
  readonly path: string | null;
  readonly rawQuery: string | null;
  readonly query: string | null;
  readonly fragment: string | null;
}

const partsPattern = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?([^#]*)(?:#(.*))?$/s;
/**
 * The characters that RFC 2396 allows in an address, and those that Java adds: letters and symbols
 * beyond ASCII.
 */
const legal = String.raw`[\w.!~*'();/?:@&=+$,[\]-]|%[\dA-Fa-f]{2}|[^\x00-\x9f\s\p{Z}]`;
const allLegal = new RegExp(`^(?:${legal})*$`, 'u');
const pathLegal = new RegExp(`^(?:(?![?[\\]])(?:${legal}))*$`, 'u');
const hostPattern =
  /^(?:\[[\da-f:.%\w]+\]|(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?\.?|\d{1,3}(?:\.\d{1,3}){3})$/i;
const authorityPattern = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/s;

/** Parses an address; undefined if Java would refuse it. */
function parseJavaUri(text: string): JavaUri | undefined {
  const [, scheme = null, body = '', fragment] = partsPattern.exec(text) ?? [];
  if (text === '') return { ...nothing, rawPath: '', path: '' };
  if (!allLegal.test(body) || (fragment !== undefined && !allLegal.test(fragment))) {
    return undefined;
  }
  if (scheme === null && /^[^/?#]*:/.test(body)) return undefined;
  const shared = { scheme, fragment: fragment === undefined ? null : decodeEscapes(fragment) };
  if (scheme !== null && !body.startsWith('/')) {
    return body === '' ? undefined : { ...nothing, ...shared };
  }
  const [, slashed, authority, rawPath = '', rawQuery] =
    /^(\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s.exec(body) ?? [];
  if (!pathLegal.test(rawPath)) return undefined;
  if (slashed === '//' && rawPath === '' && rawQuery === undefined) return undefined;
  const server = readServer(authority);
  if (server === undefined) return undefined;
  const query = rawQuery === undefined ? null : decodeEscapes(rawQuery);
  return {
    ...shared,
    ...server,
    rawPath,
    path: decodeEscapes(rawPath),
    rawQuery: rawQuery ?? null,
    query,
  };
}

/**
 * Joins parts like Java's constructor of seven arguments, which escapes illegal characters;
 * undefined if it would refuse them.
 */
function writeJavaUri(parts: Omit<JavaUri, 'rawPath' | 'rawQuery'>): string | undefined {
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

function readServer(
  authority: string | undefined,
): Pick<JavaUri, 'userInfo' | 'host' | 'port'> | undefined {
  const none = { userInfo: null, host: null, port: -1 };
  if (authority === undefined || authority === '') return none;
  const [, userInfo = null, host = '', port = ''] = authorityPattern.exec(authority) ?? [];
  // An authority that is not a host may still be a registry-based name, which has no parts.
  if (!hostPattern.test(host) || Number(port) > 2 ** 31 - 1) {
    return authority.includes('[') ? undefined : none;
  }
  return {
    userInfo: userInfo === null ? null : decodeEscapes(userInfo),
    host,
    port: port === '' ? -1 : Number(port),
  };
}

function decodeEscapes(text: string): string {
  return text.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function escapeIllegal(text: string, kept: RegExp): string {
  return Array.from(text, (each) => {
    if (kept.test(each) || (each > '\u009F' && !/[\s\p{Z}\p{C}]/u.test(each))) return each;
    return Buffer.from(each, 'utf8').toString('hex').toUpperCase().replaceAll(/../g, '%$&');
  }).join('');
}

import { define, type FunctionDefinition } from '../language/function-definition.ts';
import { expressionFailed } from '../language/expression-error.ts';
import { int, text, texts } from '../language/function-type.ts';
import { type JavaUri, parseJavaUri, writeJavaUri } from '../values/java-uri.ts';

const example = 'https://www.example.co.uk:8080/a/b?x=1&y=2#end';

/** Addresses are taken apart as java.net.URI does: one with a blank or another illegal character has no parts. */
// prettier-ignore
export const urlFunctions: readonly FunctionDefinition[] = [
  part('urlProtocol', ({ scheme }) => scheme, 'The scheme'),
  part('urlDomain', ({ host }) => host, 'The host'),
  part('urlDomainWithoutWWW', ({ host }) => host?.replace(/^www\./, '') ?? null, 'The host without `www.`'),
  part('urlTopLevelDomain', ({ host }) => labelsOf(host)?.at(-1) ?? null, 'The last label of the host'),
  part('urlFirstSignificantSubdomain', ({ host }) => significant(host)?.[0] ?? null, 'The label that names the site'),
  part('cutToFirstSignificantSubdomain', ({ host }) => joined(host, false), 'The host from that label on'),
  part('cutToFirstSignificantSubdomainWithWWW', ({ host }) => joined(host, true), 'The same with `www.` where only that stood before it'),
  define('urlPort', [text], int, (url) => parseJavaUri(url)?.port ?? -1, 'The port, -1 where there is none.', `urlPort('${example}')`),
  part('urlPath', (uri) => (isFull(uri) ? uri.path : null), 'The path, decoded, of an address with scheme and host'),
  part('urlPathWithQuery', (uri) => (isFull(uri) ? uri.rawPath : null), 'The path as written; without the query, whatever the name says'),
  part('urlQueryString', ({ rawQuery }) => rawQuery, 'The query as written'),
  part('urlFragment', ({ fragment }) => fragment, 'What stands behind `#`, decoded'),
  part('urlQueryStringAndFragment', ({ query, fragment }) => {
    if (query === null && fragment === null) return null;
    return (query ?? '') + (fragment === null ? '' : (query ?? '') === '' ? fragment : `#${fragment}`);
  }, 'Query and fragment, decoded'),
  part('urlNetloc', ({ userInfo, host, port }) => (userInfo === null || userInfo === '' ? '' : `${userInfo}@`) + (host ?? '') + (port === -1 ? '' : `:${port}`), 'User, host and port'),
  define('extractURLParameter', [text, text], text, (url, name) => pairsOf(url).find(([key]) => key === name)?.[1] ?? '', 'The value of a parameter of the query, or an empty text.', `extractURLParameter('${example}', 'y')`),
  define('extractURLParameters', [text], texts, parametersOf, 'The parameters of the query.', `extractURLParameters('${example}')`),
  define('extractURLParameterNames', [text], texts, (url) => pairsOf(url).map(([key]) => key), 'Their names.', `extractURLParameterNames('${example}')`),
  define('urlHierarchy', [text], texts, (url) => hierarchyOf(parseJavaUri(url)), 'The address cut off behind each part of its path.', `urlHierarchy('${example}')`),
  define('urlPathHierarchy', [text], texts, (url) => pathHierarchyOf(parseJavaUri(url)?.path ?? ''), 'The path cut off behind each of its parts.', `urlPathHierarchy('${example}')`),
  define('urlEncode', [text], text, encodeForm, 'The text as a form sends it; a blank is `+`.', "urlEncode('a b&c')"),
  define('urlDecode', [text], text, (given) => decodeForm(given) ?? null, 'The text of that; null where an escape is wrong.', "urlDecode('a+b%26c')"),
  define('urlEncodeFormComponent', [text], text, encodeForm, 'The same as `urlEncode`.', "urlEncodeFormComponent('a b')"),
  define('urlDecodeFormComponent', [text], text, (given) => decodeForm(given.replaceAll('+', '%20')) ?? null, 'The same as `urlDecode`.', "urlDecodeFormComponent('a+b')"),
  define('encodeUrl', [text], text, encodeForm, 'The same as `urlEncode`.', "encodeUrl('a b')"),
  define('decodeUrl', [text], text, (given) => decodeForm(given) ?? fail(given), 'The same as `urlDecode`, but a wrong escape fails.', "decodeUrl('a+b')"),
  define('cutWWW', [text], text, (url) => rewritten(url, (uri) => ({ ...uri, host: uri.host?.replace(/^www\./, '') ?? null })), 'The address without `www.`.', `cutWWW('${example}')`),
  define('cutQueryString', [text], text, (url) => rewritten(url, (uri) => ({ ...uri, query: null })), 'The address without its query.', `cutQueryString('${example}')`),
  define('cutFragment', [text], text, (url) => rewritten(url, (uri) => ({ ...uri, fragment: null })), 'The address without its fragment.', `cutFragment('${example}')`),
  define('cutQueryStringAndFragment', [text], text, (url) => rewritten(url, (uri) => ({ ...uri, query: null, fragment: null })), 'The address without both.', `cutQueryStringAndFragment('${example}')`),
  define('cutURLParameter', [text, text], text, cutParameter, 'The address without a parameter of its query.', `cutURLParameter('${example}', 'x')`),
  define('cutURLParameters', [text, texts], text, (url, names) => names.reduce(cutParameter, url), 'The address without several.', `cutURLParameters('${example}', ARRAY['x', 'y'])`),
];

function part(name: string, of: (uri: JavaUri) => string | null, does: string): FunctionDefinition {
  return define(
    name,
    [text],
    text,
    (url) => {
      const uri = parseJavaUri(url);
      return uri === undefined ? null : of(uri);
    },
    `${does}; null where there is none.`,
    `${name}('${example}')`,
  );
}

function isFull({ scheme, host }: JavaUri): boolean {
  return scheme !== null && host !== null;
}

function labelsOf(host: string | null): readonly string[] | undefined {
  return host === null ? undefined : javaSplit(host, '.');
}

/** The labels from the one that names the site on: the last but one before a well-known ending, else the last but two. */
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

/** As Java's `split` has it: without empty pieces at the end. */
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
  return [base, ...pathHierarchyOf(uri.path ?? '').map((path) => base + path)].slice(0, uri.path === '/' ? 0 : undefined);
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
  const parameters = javaSplit(query, '&').map((parameter) => ({ parameter, key: decodeForm(parameter.split('=')[0] ?? '') }));
  if (parameters.some(({ key }) => key === undefined)) return url;
  const kept = parameters
    .filter(({ key }) => key !== name)
    .map(({ parameter }) => parameter)
    .join('&');
  return rewritten(url, (uri) => ({ ...uri, query: kept === '' ? null : kept }));
}

function encodeForm(given: string): string {
  return Array.from(given, (each) => {
    if (/[\w.*-]/.test(each)) return each;
    return each === ' '
      ? '+'
      : Array.from(
          Buffer.from(each.isWellFormed() ? each : '?', 'utf8'),
          (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
        ).join('');
  }).join('');
}

function decodeForm(given: string): string | undefined {
  if (/%(?![\dA-Fa-f]{2})/.test(given)) return undefined;
  return given
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'));
}

function fail(given: string): never {
  throw expressionFailed(`‘${given.slice(0, 60)}’ has an escape that is not two hex digits.`);
}

/**
 * The forms in which Apache Pinot writes the name of an instance: `Server_host_8098`, the list of
 * `servers [host_O, …]`, `host@{8098,8442}` of the multi-stage engine, and addresses of Java.
 */
const forms: readonly (readonly [
  form: RegExp,
  replacement: string | ((...match: string[]) => string),
])[] = [
  [
    /(?:\b(?:server|broker|controller|minion):? )?\b(Server|Broker|Controller|Minion)_[A-Za-z0-9.:[\]-]+_\d+\b/g,
    (_match, kind = '') => `a ${kind.toLowerCase()}`,
  ],
  [/\b(servers?) \[[^\]]*\]/g, '$1'],
  [/(?:\bserver:? )?[A-Za-z0-9.:[\]-]+@\{\d+(?:,\d+)*\}/g, 'a server'],
  [/(?:[A-Za-z0-9.-]+)?\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]):\d+/g, 'a server'],
];

/**
 * Returns the message with every name and address of an instance of the cluster replaced by its
 * kind, such as `a server`: callers of queries need not know the hosts.
 */
export function withoutInstances(message: string): string {
  return forms.reduce(
    (text, [form, replacement]) =>
      typeof replacement === 'string'
        ? text.replace(form, replacement)
        : text.replace(form, replacement),
    message,
  );
}

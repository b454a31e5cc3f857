/** What a login module of Java is told. */
export interface JaasLogin {
  /** The last part of the module's name. */
  readonly module: 'PlainLoginModule' | 'ScramLoginModule';
  readonly username: string;
  readonly password: string;
}

const loginPattern = /^\s*(?:[\w$]+\.)*(PlainLoginModule|ScramLoginModule)\s+(?:required|requisite|sufficient|optional)\s/;
const optionPattern = /\s*([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"';]+))\s*/y;

/** Reads a `sasl.jaas.config` of one login module with user name and password; undefined when it is anything else. */
export function parseJaasLogin(text: string): JaasLogin | undefined {
  const [head = '', module] = loginPattern.exec(text) ?? [];
  if (module !== 'PlainLoginModule' && module !== 'ScramLoginModule') return undefined;
  const rest = text.slice(head.length).trim().replace(/;$/, '');
  const options = new Map<string, string>();
  optionPattern.lastIndex = 0;
  while (optionPattern.lastIndex < rest.length) {
    const [, name, double, single, bare] = optionPattern.exec(rest) ?? [];
    if (name === undefined) return undefined;
    options.set(name, (double ?? single)?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '');
  }
  const [username, password] = [options.get('username'), options.get('password')];
  return username === undefined || password === undefined ? undefined : { module, username, password };
}

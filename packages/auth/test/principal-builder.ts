import { parsePrincipals, type KnownPrincipal, type PrincipalSettings } from '@quire/auth';

/** Parses principals whose secrets in files and variables are the records given. */
export function parseWith(
  settings: readonly PrincipalSettings[],
  secrets: {
    readonly files?: Readonly<Record<string, string>>;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<readonly KnownPrincipal[]> {
  return parsePrincipals(settings, {
    environment: secrets.environment ?? {},
    readFile: async (path) => {
      const text = secrets.files?.[path];
      if (text === undefined) {
        throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
      }
      return text;
    },
  });
}

/** The value of an Authorization header by RFC 7617. */
export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`, 'utf8').toString('base64')}`;
}

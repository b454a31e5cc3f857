import { path } from './path-kind.ts';
import type { SettingKind } from './setting-kind.ts';

/** Code to load, or the name of a class of another system, which stands for nothing here. */
export type ModuleOrClass =
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'class'; readonly name: string };

/** A module of JavaScript or TypeScript as an absolute or relative path, or the name of a Java class. */
export const moduleOrClass: SettingKind<ModuleOrClass> = {
  allowed: 'the path of a module (ending in .js, .mjs or .ts) or the name of a class',
  parse: (value, baseDir) => {
    if (/\.(?:js|mjs|ts)$/.test(value)) {
      const absolute = path.parse(value, baseDir);
      return absolute === undefined ? undefined : { kind: 'module', path: absolute };
    }
    return /^[A-Za-z_][\w$.-]{0,255}$/.test(value) ? { kind: 'class', name: value } : undefined;
  },
  format: (value) => (value.kind === 'module' ? value.path : value.name),
};

/** The URL of a server, without credentials, path or parameters. */
export const httpUrl: SettingKind<string> = {
  allowed: 'a URL of a server, such as https://storage.example.com:9000',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isServer = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    return isServer && url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
  },
  format: (value) => value,
};

import { path } from './path-kind.ts';
import type { SettingKind } from './setting-kind.ts';

/** A module to load, or the name of a Java class, which is recognised and not loaded. */
export type ModuleOrClass =
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'class'; readonly name: string };

/** An absolute or relative path of a JavaScript or TypeScript module. */
export const modulePath: SettingKind<string> = {
  allowed: 'the path of a module (ending in .js, .mjs or .ts)',
  parse: (value, baseDir) =>
    /\.(?:js|mjs|ts)$/.test(value) ? path.parse(value, baseDir) : undefined,
  format: (value) => value,
};

/**
 * An absolute or relative path of a JavaScript or TypeScript module, or the name of a Java class.
 */
export const moduleOrClass: SettingKind<ModuleOrClass> = {
  allowed: `${modulePath.allowed} or the name of a class`,
  parse: (value, baseDir) => {
    const module = modulePath.parse(value, baseDir);
    if (module !== undefined) return { kind: 'module', path: module };
    if (/\.(?:js|mjs|ts)$/.test(value)) return undefined;
    return /^[A-Za-z_][\w$.-]{0,255}$/.test(value) ? { kind: 'class', name: value } : undefined;
  },
  format: (value) => (value.kind === 'module' ? value.path : value.name),
};

/** The URL of a server, without credentials, path or parameters. */
export const httpUrl: SettingKind<string> = {
  allowed: 'a URL of a server, such as https://storage.example.com:9000',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isServer =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      url.username === '' &&
      url.password === '';
    return isServer && url.pathname === '/' && url.search === '' && url.hash === ''
      ? url.origin
      : undefined;
  },
  format: (value) => value,
};

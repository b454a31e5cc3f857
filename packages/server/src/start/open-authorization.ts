import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type AuthorizationProvider,
  createStaticTokenProvider,
  noAuthorization,
  UrlTokenProvider,
} from '@quire/auth';
import { type Clock, QuireError } from '@quire/core';
import type { Settings } from '@quire/settings';

const classKey = 'controller.admin.auth.provider.class';
const urlKey = 'controller.admin.auth.url';
const tokenKey = 'controller.admin.auth.token';

/**
 * The function `createAuthorizationProvider` that a module in
 * `controller.admin.auth.provider.class` must export.
 */
export type AuthorizationProviderFactory = (dependencies: {
  /** The value of `controller.admin.auth.url`: a path, or a URL. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly clock: Clock;
}) => Promise<AuthorizationProvider> | AuthorizationProvider;

/**
 * Returns the provider of the Authorization for the controller's calls to brokers, according to the
 * settings. A token is read once here, so that a missing one is reported at the start.
 *
 * @throws INVALID_SETTING when there is no such provider, one of its settings is missing, or its
 *   location has no token
 */
export async function openAuthorization(
  settings: Settings,
  clock: Clock,
): Promise<AuthorizationProvider> {
  const { authProviderClass, authUrl, authToken, authScheme: scheme } = settings.controller;
  const kind = authProviderClass?.kind === 'module' ? 'module' : builtInOf(settings);
  if (authProviderClass?.kind === 'module' && kind === 'module') {
    const url = authUrl?.kind === 'file' ? authUrl.path : authUrl?.url;
    return (await loadFactory(authProviderClass.path))({ url, token: authToken, clock });
  }
  if (kind === 'none') return noAuthorization;
  if (kind === 'static') {
    if (authToken === undefined) throw lacking(tokenKey);
    return createStaticTokenProvider(authToken, { setting: tokenKey, scheme });
  }
  if (authUrl === undefined) throw lacking(urlKey);
  const provider = new UrlTokenProvider({
    setting: urlKey,
    location: authUrl,
    scheme,
    clock,
    readFile: (path) => readFile(path, 'utf8'),
  });
  await provider.authorization();
  return provider;
}

/** Returns the provider for a class name by its last part, as other systems name it. */
function builtInOf({ controller }: Settings): 'url' | 'static' | 'none' {
  const { authProviderClass, authUrl, authToken } = controller;
  if (authProviderClass?.kind !== 'class') {
    return authUrl !== undefined ? 'url' : authToken !== undefined ? 'static' : 'none';
  }
  const name = authProviderClass.name.split('.').at(-1)?.toLowerCase() ?? '';
  if (/^url(?:token)?(?:auth(?:orization)?)?(?:provider)?$/.test(name)) return 'url';
  if (/^static(?:token)?(?:auth(?:orization)?)?(?:provider)?$/.test(name)) return 'static';
  if (/^(?:null|none|no)(?:auth(?:orization)?)?(?:provider)?$/.test(name)) return 'none';
  throw new QuireError(
    'INVALID_SETTING',
    `${classKey} = ${authProviderClass.name}: expected UrlAuthProvider, StaticTokenAuthProvider, NullAuthProvider or the path of a module.`,
  );
}

function lacking(key: string): QuireError {
  return new QuireError('INVALID_SETTING', `${key} must be set, because ${classKey} requires it.`);
}

async function loadFactory(path: string): Promise<AuthorizationProviderFactory> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError('INVALID_SETTING', `${classKey} = ${path}: ${reason}`, { cause: error });
  }
  const { createAuthorizationProvider } = exported;
  if (typeof createAuthorizationProvider === 'function') {
    return createAuthorizationProvider as AuthorizationProviderFactory;
  }
  throw new QuireError(
    'INVALID_SETTING',
    `${classKey} = ${path}: the module does not export a function createAuthorizationProvider.`,
  );
}

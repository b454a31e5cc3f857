import { readFile } from 'node:fs/promises';
import {
  type AuthorizationProvider,
  createStaticTokenProvider,
  noAuthorization,
  UrlTokenProvider,
} from '@quire/auth';
import { type Clock, QuireError, type Random } from '@quire/core';
import type { PinotEngineOptions } from '@quire/engine-pinot';
import { pinotSettings } from '@quire/engine-pinot/settings';
import type { Settings } from '@quire/settings';
import { readAuthorities } from '../read-pem.ts';

const { settings: keys } = pinotSettings;

/** The settings of an Apache Pinot cluster, including its tokens. */
export type PinotSettings = Pick<Settings, 'engines' | 'tls'>;

/**
 * Returns the options for connecting to a cluster. A token from a file or a URL is read once here,
 * so that a missing one is reported at the start.
 *
 * @throws INVALID_SETTING when a token or a certificate cannot be read
 */
export async function pinotOptionsOf(
  { engines: { pinot }, tls }: PinotSettings,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<PinotEngineOptions> {
  const { controllerUrls, brokerUrls: brokers, connectTimeoutMs, refreshMs } = pinot;
  if (controllerUrls === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      `${keys.controllerUrls.key} must be set, because engine.kind is ${pinotSettings.name}.`,
    );
  }
  return {
    clock,
    random,
    controllerUrls,
    brokers,
    authorization: await openAuthorization(pinot, clock),
    certificateAuthorities: await readAuthorities({ tls }),
    connectTimeoutMs,
    refreshMs,
    avoidMs: refreshMs,
    isUnlimited: pinot.rowsWithoutLimit === 'all',
    isSegmentBySegment: pinot.segmentBySegment,
    segmentsMax: pinot.segmentsMax,
  };
}

async function openAuthorization(
  { authToken, authUrl, authScheme: scheme }: Settings['engines']['pinot'],
  clock: Clock,
): Promise<AuthorizationProvider> {
  if (authToken !== undefined) {
    return createStaticTokenProvider(authToken, { setting: keys.authToken.key, scheme });
  }
  if (authUrl === undefined) return noAuthorization;
  const provider = new UrlTokenProvider({
    setting: keys.authUrl.key,
    location: authUrl,
    scheme,
    clock,
    readFile: (path) => readFile(path, 'utf8'),
  });
  await provider.authorization();
  return provider;
}

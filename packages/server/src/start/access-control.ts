import { readFile } from 'node:fs/promises';
import {
  assertSafeBind,
  Authenticator,
  CallLimits,
  identifyPrincipals,
  JwkSet,
  JwtVerifier,
  type KnownPrincipal,
  parsePrincipals,
  readText,
  SecretWatch,
  SessionTokens,
  usesQuickstartTokens,
} from '@quire/auth';
import { QuireError } from '@quire/core';
import {
  secureContextOf,
  type Service,
  type ServerOptions,
  type TlsCertificate,
} from '@quire/service';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';
import { readPem } from '../read-pem.ts';

interface AccessControlDependencies {
  readonly environment: Environment;
  readonly logger: Logger;
  /** The additional principals besides those of the settings: other parts of this process. */
  readonly processPrincipals?: readonly KnownPrincipal[] | undefined;
}

const jwkSetBytesMax = 1024 * 1024;

/**
 * The authentication of a service according to the settings: principals, JSON Web Tokens, limits,
 * the certificate. Tokens, passwords and certificates that are replaced in their files take effect
 * within ten seconds, without a restart.
 */
export class AccessControl implements AsyncDisposable {
  /** Options for the service. */
  readonly options: Pick<ServerOptions, 'authenticate' | 'limits' | 'tls'>;
  /** Issues a token as `Authenticator.issueToken` does. */
  readonly issueToken: (principalName: string) => string | undefined;
  /** True if a public token gives access. */
  readonly usesQuickstartTokens: boolean;
  readonly #settings: Settings;
  readonly #dependencies: AccessControlDependencies;
  readonly #watches: AsyncDisposable[] = [];

  private constructor(
    live: LiveSettings,
    dependencies: AccessControlDependencies,
    parts: {
      readonly principals: readonly KnownPrincipal[];
      readonly tls: TlsCertificate | undefined;
    },
  ) {
    const { clock, random } = dependencies.environment;
    const { principals, tls } = parts;
    const settings = live.current;
    this.#settings = settings;
    this.#dependencies = dependencies;
    const authenticator = new Authenticator(principals, {
      random,
      sessions: new SessionTokens({
        key: settings.flight.tokenKey ?? random.bytes(32),
        clock,
        lifetimeMs: () => live.current.flight.tokenLifetimeMs,
      }),
      jwt: jwtVerifierOf(settings, dependencies),
    });
    this.options = {
      authenticate: (header) => authenticator.authenticate(header),
      limits: new CallLimits(() => live.current.limits, clock),
      tls,
    };
    this.issueToken = (name) => authenticator.issueToken(name);
    this.usesQuickstartTokens = usesQuickstartTokens(principals);
    if (
      settings.principals.some(
        (each) => each.tokenFile !== undefined || each.passwordFile !== undefined,
      )
    ) {
      this.#watch({
        what: 'principals',
        read: () => readPrincipals(settings, dependencies),
        current: principals,
        identify: identifyPrincipals,
        onChange: (changed) => authenticator.replacePrincipals(changed),
      });
    }
  }

  /**
   * Opens the authentication.
   *
   * @throws INVALID_SETTING with every problem of the principals, when they are not allowed for the
   *   address, or the certificate is not valid
   */
  static async open(
    live: LiveSettings,
    dependencies: AccessControlDependencies,
  ): Promise<AccessControl> {
    const principals = await readPrincipals(live.current, dependencies);
    return new AccessControl(live, dependencies, {
      principals,
      tls: await readCertificate(live.current),
    });
  }

  /** Passes each replaced certificate to the service. */
  guard(service: Pick<Service, 'replaceCertificate'>): void {
    const { tls } = this.options;
    if (tls === undefined) return;
    this.#watch<TlsCertificate | undefined>({
      what: 'certificate',
      read: () => readCertificate(this.#settings),
      current: tls,
      identify: (certificate) => JSON.stringify(certificate),
      onChange: (certificate) => certificate && service.replaceCertificate(certificate),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch[Symbol.asyncDispose]()));
  }

  #watch<Secret>(secret: {
    readonly what: string;
    readonly read: () => Promise<Secret>;
    readonly current: Secret;
    readonly identify: (value: Secret) => string;
    readonly onChange: (value: Secret) => void;
  }): void {
    const { environment, logger } = this.#dependencies;
    const { what } = secret;
    const watch = new SecretWatch({
      ...secret,
      clock: environment.clock,
      onChange: (value) => {
        secret.onChange(value);
        logger.info({ what }, 'secrets were replaced: the new ones are in force');
      },
      onProblem: ({ message }) =>
        logger.error(
          { what, reason: message },
          'secrets cannot be read: the last valid ones stay in force',
        ),
    });
    this.#watches.push(watch);
  }
}

async function readPrincipals(
  settings: Settings,
  { environment: { variables }, processPrincipals = [] }: AccessControlDependencies,
): Promise<readonly KnownPrincipal[]> {
  // A server that accepts only JSON Web Tokens needs no principals in the settings.
  if (settings.principals.length === 0 && settings.jwt.keys !== undefined) return processPrincipals;
  const principals = await parsePrincipals(settings.principals, {
    environment: variables,
    readFile: (path) => readFile(path, 'utf8'),
  });
  assertSafeBind(settings.server.bindHost, principals);
  return [...principals, ...processPrincipals];
}

function jwtVerifierOf(
  { jwt }: Settings,
  { environment, logger }: AccessControlDependencies,
): JwtVerifier | undefined {
  const {
    keys: location,
    issuer,
    audience,
    keysMaxAgeMs,
    keysCooldownMs,
    adminWord,
    queryWord,
    roleDefault,
    ...claims
  } = jwt;
  if (location === undefined) return undefined;
  if (issuer === undefined || audience === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      'engine.auth.jwt.issuer and engine.auth.jwt.audience must be set, because engine.auth.jwt.jwks.url is set.',
    );
  }
  const { clock } = environment;
  const request = { setting: 'engine.auth.jwt.jwks.url', location, bytesMax: jwkSetBytesMax };
  const keys = new JwkSet({
    read: () => readText(request, { clock, readFile: (path) => readFile(path, 'utf8') }),
    clock,
    maxAgeMs: keysMaxAgeMs,
    cooldownMs: keysCooldownMs,
    onProblem: ({ message }) =>
      logger.error({ reason: message }, 'the keys of JSON Web Tokens cannot be read'),
  });
  return new JwtVerifier({
    ...claims,
    keys,
    clock,
    issuer,
    audience,
    roleWords: { admin: adminWord, query: queryWord },
    roleDefault: roleDefault === 'none' ? undefined : roleDefault,
  });
}

async function readCertificate({ tls }: Settings): Promise<TlsCertificate | undefined> {
  const { certificateFile, keyFile } = tls;
  if (certificateFile === undefined || keyFile === undefined) return undefined;
  const [certificate, key] = await Promise.all([
    readPem('engine.tls.certificate.file', certificateFile),
    readPem('engine.tls.key.file', keyFile),
  ]);
  secureContextOf({ certificate, key });
  return { certificate, key };
}

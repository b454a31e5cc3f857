export {
  authenticateChallenges,
  Authenticator,
  type AuthenticatorOptions,
} from './authenticator.ts';
export {
  type AuthorizationProvider,
  noAuthorization,
  sendAuthorized,
} from './authorization-provider.ts';
export {
  type Admission,
  type AdmittedCall,
  CallLimits,
  type CallRefusal,
  type CallLimitSettings,
} from './call-limits.ts';
export { JwkSet, type JwkSetOptions } from './jwk-set.ts';
export { type JwtAlgorithm, type JwtOptions, JwtVerifier } from './jwt-verifier.ts';
export {
  identifyPrincipals,
  type KnownPrincipal,
  type PrincipalSettings,
} from './known-principal.ts';
export { parsePrincipals, type SecretSources } from './parse-principals.ts';
export { hashPassword, hashToken } from './scrypt-hash.ts';
export { mayRead, type Principal, requireRole, type Role } from './principal.ts';
export { createProcessPrincipal, type ProcessPrincipal } from './process-principal.ts';
export { RefusalReason, refusalReasonOf } from './refusal-reason.ts';
export { assertSafeBind, isLoopback, usesQuickstartTokens } from './safe-bind.ts';
export { SecretWatch, type SecretWatchOptions } from './secret-watch.ts';
export { type SessionTokenOptions, SessionTokens } from './session-tokens.ts';
export { createStaticTokenProvider } from './url-token-provider.ts';
export {
  readText,
  type TextLocation,
  type TextRequest,
  type TextDependencies,
} from './text-location.ts';
export { UrlTokenProvider, type UrlTokenOptions } from './url-token-provider.ts';
export type { ScryptHash } from './scrypt-hash.ts';

export { authenticateChallenges, Authenticator } from './authenticator.ts';
export type { KnownPrincipal, PrincipalSettings } from './known-principal.ts';
export { parsePrincipals, type SecretSources } from './parse-principals.ts';
export { hashPassword, hashToken } from './password-hash.ts';
export { mayRead, type Principal, requireRole, type Role } from './principal.ts';
export { assertSafeBind, usesQuickstartTokens } from './safe-bind.ts';

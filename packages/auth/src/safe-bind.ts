import { QuireError } from '@quire/core';
import type { KnownPrincipal } from './known-principal.ts';

export function usesQuickstartTokens(_principals: readonly KnownPrincipal[]): boolean {
  throw new QuireError('INTERNAL', 'usesQuickstartTokens is not written yet.');
}

/** @throws INVALID_SETTING */
export function assertSafeBind(_host: string, _principals: readonly KnownPrincipal[]): void {
  throw new QuireError('INTERNAL', 'assertSafeBind is not written yet.');
}

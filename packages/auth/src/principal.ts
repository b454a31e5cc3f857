import { QuireError } from '@quire/core';

/** `query` runs queries and handles its own results; `admin` may do everything. */
export type Role = 'query' | 'admin';

/** Somebody who may call, by a proof that `Authenticator` accepted. */
export interface Principal {
  readonly name: string;
  readonly role: Role;
}

/**
 * Lets principals with the role pass; an admin has every role.
 *
 * @throws FORBIDDEN when the principal lacks it
 */
export function requireRole(principal: Principal, role: Role): void {
  if (principal.role !== role && principal.role !== 'admin') {
    throw new QuireError(
      'FORBIDDEN',
      `This call needs the role ${role}, which ${principal.name} does not have.`,
    );
  }
}

/** Tells whether the principal may see, renew and delete the results of `owner`. */
export function mayRead(principal: Principal, owner: string): boolean {
  return principal.role === 'admin' || principal.name === owner;
}

import { QuireError } from '@quire/core';

/**
 * The role of a principal: `query` runs queries and manages its own results; `admin` may do
 * everything.
 */
export type Role = 'query' | 'admin';

/** An authenticated caller. */
export interface Principal {
  readonly name: string;
  readonly role: Role;
}

/**
 * Checks that a principal has a role; an admin has every role.
 *
 * @throws FORBIDDEN when the principal does not have it
 */
export function requireRole(principal: Principal, role: Role): void {
  if (principal.role !== role && principal.role !== 'admin') {
    throw new QuireError(
      'FORBIDDEN',
      `This call needs the role ${role}, which ${principal.name} does not have.`,
    );
  }
}

/** Reports whether the principal may see, renew and delete the results of `owner`. */
export function mayRead(principal: Principal, owner: string): boolean {
  return principal.role === 'admin' || principal.name === owner;
}

/**
 * The roles of a process in the order in which they start: the table server before its readers,
 * brokers before their callers.
 */
export const roles = ['server', 'broker', 'proxy', 'controller', 'cleaner'] as const;

/** A part of the system that a process can run. */
export type Role = (typeof roles)[number];

/**
 * The default roles: a whole system. A broker cleans its own results, so no cleaner daemon is
 * included.
 */
export const rolesByDefault: readonly Role[] = ['server', 'broker', 'proxy', 'controller'];

/** Reports whether a text names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/**
 * What a process can be, in the order in which the parts start: tables before those who read them,
 * brokers before those who call them.
 */
export const roles = ['server', 'broker', 'proxy', 'controller', 'cleaner'] as const;

/** A part of the system that a process can run. */
export type Role = (typeof roles)[number];

/**
 * What a process is when nobody says: a whole system. A broker cleans up after itself, so it takes
 * no daemon beside it.
 */
export const rolesByDefault: readonly Role[] = ['server', 'broker', 'proxy', 'controller'];

/** Tells whether a text names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

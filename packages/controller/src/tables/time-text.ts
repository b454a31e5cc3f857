/** Formats an instant as SPECIFICATION.md section 2.2 does: `yyyy-MM-dd HH:mm:ss z`, in UTC. */
export function formatTaskTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * Formats an instant as Apache Pinot's controller does elsewhere: `yyyy-MM-dd HH:mm:ss.SSS`, in
 * UTC.
 */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}

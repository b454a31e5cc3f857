/** The path of the call that rebuilds the table `events` as `copy`. */
export const restreamPath = '/tables/events_REALTIME/restream?destTableNameWithType=copy_REALTIME';
/**
 * Returns a table's summary of the events below a number: their count, the distinct ones, and a
 * hash over all.
 */
export const summaryOf = (table: string, below: number): string =>
  `SELECT count(*), count(DISTINCT id), sum(hash(id, amount, ts)) FROM ${table} WHERE id < ${below}`;

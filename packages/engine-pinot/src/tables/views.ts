import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import { type AdminCalls, isJsonObject, type Json } from './admin-calls.ts';
import { typedName } from './table-configs.ts';

/**
 * Returns the states of the replicas of each segment, as they should be or as servers report them;
 * undefined while the cluster has no such view of the table.
 */
export async function readView(
  calls: AdminCalls,
  tableNameWithType: string,
  view: 'idealstate' | 'externalview',
  options: CallOptions,
): Promise<Json | undefined> {
  const { type } = typedName(tableNameWithType);
  const path = `/tables/${encodeURIComponent(tableNameWithType)}/${view}`;
  const errors = { 404: 'TABLE_NOT_FOUND' } as const;
  try {
    const answer = await calls.object(
      { method: 'GET', path, parameters: { tableType: type }, errors },
      options,
    );
    const states = answer[type];
    return isJsonObject(states) ? states : undefined;
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return undefined;
    throw error;
  }
}

/**
 * Reads something of a table that may be deleted at that time. Apache Pinot deletes the ideal state
 * of a table before its config, and in between answers calls about it with HTTP 500.
 *
 * @throws TABLE_NOT_FOUND when the read fails and the table has no ideal state
 */
export async function whileItExists<T>(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isQuireError(error, 'UNEXPECTED_RESPONSE')) throw error;
    const idealState = await readView(calls, tableNameWithType, 'idealstate', options);
    if (idealState !== undefined) throw error;
    throw new QuireError('TABLE_NOT_FOUND', `${tableNameWithType} is being deleted.`, {
      cause: error,
    });
  }
}

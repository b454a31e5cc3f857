/** The states of a query, in this order; a query ends in one of the last three. */
export const queryStates = ['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const;

/** The state of a query. */
export type QueryState = (typeof queryStates)[number];

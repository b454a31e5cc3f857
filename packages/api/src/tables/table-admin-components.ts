import { restreamComponents } from './restream-response.ts';
import { streamComponents } from './stream-operations.ts';
import { taskComponents } from './task-debug.ts';

/** The components of the API document that the calls about tables, streams, tasks and restream need. */
export const tableAdminComponents = [...taskComponents, ...restreamComponents, ...streamComponents] as const;

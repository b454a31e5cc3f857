import { refer } from '../reference.ts';
import { adminOperation } from './admin-operation.ts';
import { RestreamBody, RestreamList, RestreamResponse } from './restream-response.ts';

const job = { answer: RestreamResponse, answerIs: 'The job.', tag: 'restream' } as const;

/** The calls about restream jobs (SPECIFICATION.md section 4.1). */
export const restreamOperations = {
  startRestream: adminOperation('startRestream', {
    ...job,
    summary: 'Rebuild a real-time table from its stream',
    description:
      'Creates a new table like the source and fills it from the earliest offset of the stream, while the source serves. Parameters may ' +
      'be in the query or in the body; a call with different values in both is refused.',
    query: {
      destTableNameWithType:
        'Name of the table to create, with _REALTIME. Required, here or in the body.',
      destServerTenant: "Default: the source's. Also accepted as destTenant.",
      destTenant: 'Alias of destServerTenant.',
      destBrokerTenant: "Default: the source's.",
      debugPause: 'true: the job waits at its start until it is resumed. Default: false.',
      maxTableStreamLag: 'Messages that a partition may lag behind at the end. Default: 5000.',
      maxRebalanceTimeMin: 'Default 120.',
    },
    body: refer(RestreamBody),
    errors: [
      'TABLE_NOT_FOUND',
      'TABLE_EXISTS',
      'SCHEMA_EXISTS',
      'TENANT_NOT_FOUND',
      'JOB_EXISTS',
      'TABLE_INVALID',
    ],
  }),
  readTableRestream: adminOperation('readTableRestream', {
    ...job,
    summary: 'Read the restream job of a table',
    description: 'The running job, or otherwise the last one.',
    errors: ['JOB_NOT_FOUND'],
  }),
  cancelRestream: adminOperation('cancelRestream', {
    ...job,
    summary: 'Cancel the restream job of a table',
    description:
      'The destination is kept and paused, unless it is dropped. The destination of a failed or cancelled job can also be dropped.',
    query: { dropDestination: 'true: the destination is dropped. Default: false.' },
    errors: ['JOB_NOT_FOUND', 'CONFLICT'],
  }),
  resumeRestream: adminOperation('resumeRestream', {
    ...job,
    summary: 'Resume a job that waits at its start',
    errors: ['JOB_NOT_FOUND', 'CONFLICT'],
  }),
  listRestreams: adminOperation('listRestreams', {
    tag: 'restream',
    summary: 'List all restream jobs',
    answer: RestreamList,
    answerIs: 'The jobs, newest first.',
  }),
  readRestream: adminOperation('readRestream', {
    ...job,
    summary: 'Read a restream job',
    errors: ['JOB_NOT_FOUND'],
  }),
} as const;

import { type Static, Type } from 'typebox';
import { errorResponses, type Operation, responseOf } from './operation.ts';
import { sweepPattern } from './paths.ts';
import { refer } from './reference.ts';

/** What a sweep would delete now. */
export const SweepPlanResponse = Type.Object(
  {
    removalCount: Type.Integer({ minimum: 0, description: 'How many deletions there would be.' }),
    removals: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the result; of what a crashed write left, its name in the store.' }),
        reason: Type.Unsafe<'expired' | 'evicted' | 'orphan' | 'leftover'>({
          type: 'string',
          enum: ['expired', 'evicted', 'orphan', 'leftover'],
          description:
            'expired: its time is over. evicted: the quota is exceeded. orphan: data without a commit record. leftover: a part of a write ' +
            'that ended badly.',
        }),
        bytes: Type.Integer({ minimum: 0, description: 'Bytes that it takes.' }),
        ageMs: Type.Integer({ description: 'For how long it has been there, in milliseconds.' }),
      }),
      { description: 'The first 1,000 of them, in the order of the sweep.' },
    ),
  },
  { $id: 'SweepPlanResponse', description: 'What a sweep would delete now.' },
);
export type SweepPlanResponse = Static<typeof SweepPlanResponse>;

/** The call by which a broker tells what its next sweep would take. A broker without a cleaner does not have it. */
export const sweepOperation: Operation = {
  method: 'GET',
  path: sweepPattern,
  schema: {
    operationId: 'readSweepPlan',
    summary: 'Ask what a sweep would delete now',
    description: 'A dry run of the storage cleaner: one listing, and nothing is deleted. For admins.',
    tags: ['results'],
    response: {
      200: responseOf('What it would delete.', 'application/json', refer(SweepPlanResponse)),
      ...errorResponses('FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

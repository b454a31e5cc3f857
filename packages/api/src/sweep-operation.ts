import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { errorResponses, type Operation, responseOf } from './operation.ts';
import { sweepPattern } from '@quire/core/wire';
import { refer } from './reference.ts';

/** The deletions that a sweep would make now. */
export const SweepPlanResponse = Type.Object(
  {
    removalCount: Type.Integer({ minimum: 0, description: 'Number of deletions.' }),
    removals: Type.Array(
      Type.Object({
        id: Type.String({
          description:
            'Id of the result; for a leftover of a crashed write, its name in the store.',
        }),
        reason: Type.Unsafe<'expired' | 'evicted' | 'orphan' | 'leftover'>({
          type: 'string',
          enum: ['expired', 'evicted', 'orphan', 'leftover'],
          description:
            'expired: it has reached its expiration time. evicted: the quota, or the share of its owner, is exceeded. orphan: data without a commit record. leftover: data that remains of a ' +
            'failed write.',
        }),
        bytes: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
        ageMs: Type.Integer({ description: 'Age, in milliseconds.' }),
        owner: Type.Union([Type.String(), Type.Null()], {
          description:
            'Tag of the owner of the result, eight hexadecimal digits; null if it has none, and for everything except results.',
        }),
        limitedBy: Type.Union([Type.String(), Type.Null()], {
          description:
            'Setting of the share that the owner exceeds, if the result is evicted for that; otherwise null.',
        }),
      }),
      { description: 'The first 1,000 deletions, in the order of the sweep.' },
    ),
    owners: Type.Array(
      Type.Object({
        owner: Type.Union([Type.String(), Type.Null()], {
          description:
            'Tag of the owner, eight hexadecimal digits; null for all results without one.',
        }),
        name: Type.Union([Type.String(), Type.Null()], {
          description: 'The principal in the settings with this tag; otherwise null.',
        }),
        resultCount: Type.Integer({ minimum: 0, description: 'Number of stored results.' }),
        usageBytes: Type.Integer({ minimum: 0, description: 'Bytes of these results.' }),
        usageAfterBytes: Type.Integer({ description: 'Bytes of these results after the sweep.' }),
        shareBytes: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'The share of the quota that the owner may use; null if it may use all of it.',
        }),
      }),
      { description: 'The hundred owners that store the most, in descending order.' },
    ),
  },
  { $id: 'SweepPlanResponse', description: 'The deletions that a sweep would make now.' },
);
export type SweepPlanResponse = Static<typeof SweepPlanResponse>;

/**
 * The call that returns a broker's next sweep as a plan. A broker without a cleaner does not have
 * it.
 */
export const sweepOperation: Operation = {
  method: 'GET',
  path: sweepPattern,
  schema: {
    operationId: 'readSweepPlan',
    summary: 'Preview the next sweep',
    description:
      'A dry run of the storage cleaner: one listing, and nothing is deleted. For admins.',
    tags: ['results'],
    response: {
      200: responseOf('The planned deletions.', 'application/json', refer(SweepPlanResponse)),
      ...errorResponses('FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

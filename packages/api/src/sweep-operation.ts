import { type Static, Type } from 'typebox';
import { errorResponses, type Operation, responseOf } from './operation.ts';
import { sweepPattern } from '@quire/core/wire';
import { refer } from './reference.ts';

/** What a sweep would delete now. */
export const SweepPlanResponse = Type.Object(
  {
    removalCount: Type.Integer({ minimum: 0, description: 'How many deletions there would be.' }),
    removals: Type.Array(
      Type.Object({
        id: Type.String({
          description: 'Id of the result; of what a crashed write left, its name in the store.',
        }),
        reason: Type.Unsafe<'expired' | 'evicted' | 'orphan' | 'leftover'>({
          type: 'string',
          enum: ['expired', 'evicted', 'orphan', 'leftover'],
          description:
            'expired: its time is over. evicted: the quota, or the share of its owner, is exceeded. orphan: data without a commit record. leftover: a part of a write ' +
            'that ended badly.',
        }),
        bytes: Type.Integer({ minimum: 0, description: 'Bytes that it takes.' }),
        ageMs: Type.Integer({ description: 'For how long it has been there, in milliseconds.' }),
        owner: Type.Union([Type.String(), Type.Null()], {
          description:
            'Tag of the owner of the result, eight hexadecimal digits; null of one without, and of what is not a result.',
        }),
        limitedBy: Type.Union([Type.String(), Type.Null()], {
          description:
            'Setting of the share that the owner exceeds, where a result is evicted for that; else null.',
        }),
      }),
      { description: 'The first 1,000 of them, in the order of the sweep.' },
    ),
    owners: Type.Array(
      Type.Object({
        owner: Type.Union([Type.String(), Type.Null()], {
          description:
            'Tag of the owner, eight hexadecimal digits; null of all results without one.',
        }),
        name: Type.Union([Type.String(), Type.Null()], {
          description: 'The principal, where the settings have one of this tag; else null.',
        }),
        resultCount: Type.Integer({ minimum: 0, description: 'Results stored.' }),
        usageBytes: Type.Integer({ minimum: 0, description: 'Their bytes.' }),
        usageAfterBytes: Type.Integer({ description: 'Their bytes after such a sweep.' }),
        shareBytes: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'The share of the quota that the owner may use; null when that is all of it.',
        }),
      }),
      { description: 'The hundred owners that store the most, the first one most.' },
    ),
  },
  { $id: 'SweepPlanResponse', description: 'What a sweep would delete now.' },
);
export type SweepPlanResponse = Static<typeof SweepPlanResponse>;

/**
 * The call by which a broker tells what its next sweep would take. A broker without a cleaner does
 * not have it.
 */
export const sweepOperation: Operation = {
  method: 'GET',
  path: sweepPattern,
  schema: {
    operationId: 'readSweepPlan',
    summary: 'Ask what a sweep would delete now',
    description:
      'A dry run of the storage cleaner: one listing, and nothing is deleted. For admins.',
    tags: ['results'],
    response: {
      200: responseOf('What it would delete.', 'application/json', refer(SweepPlanResponse)),
      ...errorResponses('FORBIDDEN', 'STORE_UNAVAILABLE'),
    },
  },
};

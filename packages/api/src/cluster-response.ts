import { type Static, Type } from 'typebox';
import { refer } from './reference.ts';
import { HealthResponse } from './health-response.ts';
import { StoredResult } from './result-entry.ts';
import { SweepPlanResponse } from './sweep-operation.ts';

const url = Type.String({ description: 'Where the controller calls the broker.' });
const error = Type.Union([Type.String(), Type.Null()], {
  description: 'Why it failed; null when it did not.',
});
const state = Type.Unsafe<'ok' | 'failed'>({
  type: 'string',
  enum: ['ok', 'failed'],
  description: 'Whether the broker did it.',
});
const NullableTime = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });

/** The results of all brokers, and of which brokers they are missing. */
export const ClusterResultsResponse = Type.Object(
  {
    resultMetadataList: Type.Array(refer(StoredResult), { description: 'Newest first.' }),
    brokers: Type.Array(
      Type.Object({
        url,
        state,
        resultCount: Type.Integer({
          minimum: 0,
          description: 'How many results the broker has listed.',
        }),
        error,
      }),
      { description: 'The brokers that were asked, in the order of the settings.' },
    ),
  },
  {
    $id: 'ClusterResultsResponse',
    description: 'All stored results of the brokers that have answered.',
  },
);

/** The outcome of a deletion on all brokers. */
export const ClusterDeletionResponse = Type.Object(
  {
    deletedCount: Type.Integer({
      minimum: 0,
      description: 'How many results the brokers say that they have deleted.',
    }),
    brokers: Type.Array(
      Type.Object({
        url,
        state,
        deletedCount: Type.Integer({
          minimum: 0,
          description: 'How many results this broker has deleted.',
        }),
        error,
      }),
      { description: 'The brokers that were asked, in the order of the settings.' },
    ),
  },
  { $id: 'ClusterDeletionResponse', description: 'The outcome of a deletion on all brokers.' },
);

/** How the brokers are, and how the expiry job gets on with each. */
export const ClusterHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string',
      enum: ['ok', 'degraded'],
      description:
        'ok: every broker is up, and its expired results were deleted when it was last tried.',
    }),
    brokers: Type.Array(
      Type.Object({
        url,
        state: Type.Unsafe<'up' | 'leaving' | 'down'>({
          type: 'string',
          enum: ['up', 'leaving', 'down'],
          description: 'leaving: it answers, and shuts down.',
        }),
        brokerId: Type.Union([Type.String(), Type.Null()], {
          description: 'What the broker calls itself; null when it is not up.',
        }),
        version: Type.Union([Type.String(), Type.Null()], {
          description: 'Its version; null when it is not up.',
        }),
        error,
        health: Type.Union([refer(HealthResponse), Type.Null()], {
          description: 'What it says of itself; null when it is not up, or says it in another way.',
        }),
        cleaning: Type.Object(
          {
            lastRunMs: NullableTime(
              'When the expiry job last turned to it; null before the first time.',
            ),
            lastGoodRunMs: NullableTime(
              'When it last did so with success; null before the first time.',
            ),
            deletedCount: Type.Integer({
              minimum: 0,
              description: 'Expired results that were deleted the last time.',
            }),
            error,
          },
          { description: 'The expiry job on this broker.' },
        ),
      }),
      { description: 'In the order of the settings.' },
    ),
  },
  { $id: 'ClusterHealthResponse', description: 'How the brokers are.' },
);

/** What the next sweeps of all brokers would delete. */
export const ClusterSweepResponse = Type.Object(
  {
    brokers: Type.Array(Type.Object({ url, error, ...SweepPlanResponse.properties }), {
      description: 'In the order of the settings.',
    }),
  },
  { $id: 'ClusterSweepResponse', description: 'What the next sweeps of all brokers would delete.' },
);
export type ClusterSweepResponse = Static<typeof ClusterSweepResponse>;

export type ClusterResultsResponse = Static<typeof ClusterResultsResponse>;
export type ClusterDeletionResponse = Static<typeof ClusterDeletionResponse>;
export type ClusterHealthResponse = Static<typeof ClusterHealthResponse>;

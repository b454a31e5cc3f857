import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from './reference.ts';
import { HealthResponse } from './health-response.ts';
import { StoredResult } from './result-entry.ts';
import { SweepPlanResponse } from './sweep-operation.ts';

const url = Type.String({ description: 'Address at which the controller calls the broker.' });
const error = Type.Union([Type.String(), Type.Null()], {
  description: 'Reason for the failure; null if it succeeded.',
});
const state = Type.Unsafe<'ok' | 'failed'>({
  type: 'string',
  enum: ['ok', 'failed'],
  description: 'Whether the broker succeeded.',
});
const NullableTime = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });

/** The results of all brokers, and the brokers whose results are missing. */
export const ClusterResultsResponse = Type.Object(
  {
    resultMetadataList: Type.Array(refer(StoredResult), { description: 'Newest first.' }),
    brokers: Type.Array(
      Type.Object({
        url,
        state,
        resultCount: Type.Integer({
          minimum: 0,
          description: 'Number of results that the broker has listed.',
        }),
        error,
      }),
      { description: 'The brokers that were called, in the order of the settings.' },
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
      description: 'Number of results that the brokers report as deleted.',
    }),
    brokers: Type.Array(
      Type.Object({
        url,
        state,
        deletedCount: Type.Integer({
          minimum: 0,
          description: 'Number of results that this broker has deleted.',
        }),
        error,
      }),
      { description: 'The brokers that were called, in the order of the settings.' },
    ),
  },
  { $id: 'ClusterDeletionResponse', description: 'The outcome of a deletion on all brokers.' },
);

/** The health of the brokers, and the state of the expiry job for each. */
export const ClusterHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string',
      enum: ['ok', 'degraded'],
      description:
        'ok: every broker is up, and the last deletion of its expired results succeeded.',
    }),
    brokers: Type.Array(
      Type.Object({
        url,
        state: Type.Unsafe<'up' | 'leaving' | 'down'>({
          type: 'string',
          enum: ['up', 'leaving', 'down'],
          description: 'leaving: the broker answers, but is shutting down.',
        }),
        brokerId: Type.Union([Type.String(), Type.Null()], {
          description: 'Id of the broker; null if it is not up.',
        }),
        version: Type.Union([Type.String(), Type.Null()], {
          description: 'Version of the broker; null if it is not up.',
        }),
        error,
        health: Type.Union([refer(HealthResponse), Type.Null()], {
          description:
            'Health of the broker, as it reports it; null if it is not up, or uses another format.',
        }),
        cleaning: Type.Object(
          {
            lastRunMs: NullableTime(
              "Time of the expiry job's last call to the broker; null before the first.",
            ),
            lastGoodRunMs: NullableTime('Time of the last successful call; null before the first.'),
            deletedCount: Type.Integer({
              minimum: 0,
              description: 'Expired results deleted by the last call.',
            }),
            error,
          },
          { description: 'The expiry job on this broker.' },
        ),
      }),
      { description: 'The brokers, in the order of the settings.' },
    ),
  },
  { $id: 'ClusterHealthResponse', description: 'The health of the brokers.' },
);

/** The deletions that the next sweeps of all brokers would make. */
export const ClusterSweepResponse = Type.Object(
  {
    brokers: Type.Array(Type.Object({ url, error, ...SweepPlanResponse.properties }), {
      description: 'The brokers, in the order of the settings.',
    }),
  },
  {
    $id: 'ClusterSweepResponse',
    description: 'The deletions that the next sweeps of all brokers would make.',
  },
);
export type ClusterSweepResponse = Static<typeof ClusterSweepResponse>;

export type ClusterResultsResponse = Static<typeof ClusterResultsResponse>;
export type ClusterDeletionResponse = Static<typeof ClusterDeletionResponse>;
export type ClusterHealthResponse = Static<typeof ClusterHealthResponse>;

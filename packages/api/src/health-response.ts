import { type Static, Type } from 'typebox';

/** What a broker says of itself to whoever asks; it holds no secrets. */
export const HealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'], description: 'ok: the broker accepts calls.' }),
    version: Type.String({ description: 'Version of the server.' }),
    brokerId: Type.String({ description: 'Id of this broker.' }),
    uptimeMs: Type.Integer({ minimum: 0, description: 'For how long it has been up, in milliseconds.' }),
    storeType: Type.String({ description: 'Kind of store: fs (local files), memory, s3 or gcs.' }),
    queriesRunning: Type.Integer({ minimum: 0, description: 'Queries that run now.' }),
    queriesQueued: Type.Integer({ minimum: 0, description: 'Queries that wait for their turn.' }),
  },
  { $id: 'HealthResponse', description: 'The broker is alive.' },
);

export type HealthResponse = Static<typeof HealthResponse>;

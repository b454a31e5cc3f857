import { Type } from '@quire/core/schema';

/** The health of the cluster that answers queries and stores tables, for any caller. */
export const EngineHealth = Type.Object(
  {
    state: Type.Unsafe<'ok' | 'degraded' | 'unavailable' | 'unknown'>({
      type: 'string',
      enum: ['ok', 'degraded', 'unavailable', 'unknown'],
      description:
        'ok: every address answers. degraded: some do not. unavailable: no query can be answered. unknown: before the first check.',
    }),
    checkedAt: Type.Union([Type.String(), Type.Null()], {
      description: 'Time of the last check, as ISO 8601 in UTC; null before the first.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'The problem; the log has the addresses and their settings.',
    }),
  },
  {
    description: 'The cluster behind the engine; absent if the engine is a part of the server.',
  },
);

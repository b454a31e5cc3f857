import { Type } from 'typebox';

/** What health says of the cluster that answers queries and keeps tables; open to any caller. */
export const EngineHealth = Type.Object(
  {
    state: Type.Unsafe<'ok' | 'degraded' | 'unavailable' | 'unknown'>({
      type: 'string',
      enum: ['ok', 'degraded', 'unavailable', 'unknown'],
      description:
        'ok: every address answers. degraded: some do not. unavailable: no query can be answered. unknown: before the first look.',
    }),
    checkedAt: Type.Union([Type.String(), Type.Null()], {
      description: 'When it was looked at last, as ISO 8601 in UTC; null before the first time.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'What is wrong; the log has the addresses and their settings.',
    }),
  },
  {
    description: 'The cluster behind the engine; absent where the engine is a part of the server.',
  },
);

import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';

/** The caller that the credentials prove. */
export const CallerResponse = Type.Object(
  {
    name: Type.String({ description: 'Name of the principal.' }),
    role: Type.Unsafe<'query' | 'admin'>({
      type: 'string',
      enum: ['query', 'admin'],
      description: 'query: runs queries, manages its own results, reads tables. admin: everything.',
    }),
  },
  { $id: 'CallerResponse', description: 'The identity of the caller.' },
);
export type CallerResponse = Static<typeof CallerResponse>;

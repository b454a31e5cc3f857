import { type Static, Type } from 'typebox';

/** Who calls, as the credentials of the call prove. */
export const CallerResponse = Type.Object(
  {
    name: Type.String({ description: 'Name of the principal.' }),
    role: Type.Unsafe<'query' | 'admin'>({
      type: 'string',
      enum: ['query', 'admin'],
      description: 'query: runs queries, handles its own results, reads tables. admin: everything.',
    }),
  },
  { $id: 'CallerResponse', description: 'Who calls.' },
);
export type CallerResponse = Static<typeof CallerResponse>;

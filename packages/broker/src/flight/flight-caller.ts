import type { IncomingHttpHeaders } from 'node:http2';
import type { AdmittedCaller, Call } from '@quire/service';
import type { FastifyBaseLogger } from 'fastify';

/** One call by Flight, from its headers to its end. */
export interface FlightCaller extends AdmittedCaller {
  readonly call: Call;
  readonly log: FastifyBaseLogger;
  readonly remoteAddress: string;
  readonly headers: IncomingHttpHeaders;
  /** Says when a call that is refused for now may be tried again. */
  readonly onRetryAfter: (seconds: number) => void;
  /** Gives the call the id of the query that it runs, for what is logged of it from now on. */
  readonly rename: (requestId: string) => void;
}

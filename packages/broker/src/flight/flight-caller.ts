import type { IncomingHttpHeaders } from 'node:http2';
import type { AdmittedCaller, Call } from '@quire/service';
import type { FastifyBaseLogger } from 'fastify';

/** One Flight call, from its headers to its end. */
export interface FlightCaller extends AdmittedCaller {
  readonly call: Call;
  readonly log: FastifyBaseLogger;
  readonly remoteAddress: string;
  readonly headers: IncomingHttpHeaders;
  /** Called with the time after which a refused call may be retried. */
  readonly onRetryAfter: (seconds: number) => void;
  /** Sets the id of the query that the call runs, for all further log lines. */
  readonly rename: (requestId: string) => void;
}

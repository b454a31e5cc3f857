import { Readable } from 'node:stream';
import { QuireError } from '@quire/core';
import { principalOf, routeOf, signalOf } from '@quire/service';
import { previewLimits, previewTable, writePreview } from '@quire/tables';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from './object-body.ts';
import { previewDefaults } from './preview-options.ts';
import { previewOperations } from './table-operations.ts';

/** POST /tables/preview: a few at once, since each holds its rows in memory. Files and streams are for admins. */
export function previewTableRoute({ options, clock }: ControllerContext): RouteOptions {
  let runningCount = 0;
  const previewOptions = () => options.preview ?? previewDefaults;
  const body = objectBody(previewOptions().bodyBytesMax, () => previewOptions().limits.digitsMax);
  return routeOf(
    previewOperations.previewTable,
    async (request, reply) => {
      const { concurrencyMax, limits, finder, openStream } = previewOptions();
      const isAdmin = principalOf(request).role === 'admin';
      if (runningCount >= concurrencyMax) {
        throw new QuireError('TOO_MANY_REQUESTS', `${concurrencyMax} previews run already; try again soon.`);
      }
      runningCount += 1;
      try {
        const preview = await previewTable(request.body, {
          clock,
          limits,
          finder: isAdmin ? finder : undefined,
          openStream: isAdmin ? openStream : undefined,
          signal: signalOf(request),
        });
        const bytesMax = limits.answerBytesMax ?? previewLimits.answerBytesMax;
        const answer = Readable.from(writePreview(preview, { bytesMax }), { objectMode: false });
        return await reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(answer);
      } finally {
        runningCount -= 1;
      }
    },
    body,
  );
}

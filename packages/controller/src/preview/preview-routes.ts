import { Readable } from 'node:stream';
import { controllerOperations, type Operation } from '@quire/api';
import { type CallOptions, QuireError, writeLosslessJson } from '@quire/core';
import { principalOf, routeOf, signalOf } from '@quire/service';
import { checkTableConfig, checkTableConfigs, checkTableSchema, previewText } from '@quire/tables';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody, textBody } from '../object-body.ts';
import { type ControllerPreviewOptions, type PreviewCall, previewDefaults } from '../preview-options.ts';

/** POST /tables/preview: a few at once, since each holds its rows in memory. Files and streams are for admins. */
export function previewTableRoute({ options, clock }: ControllerContext): RouteOptions {
  let runningCount = 0;
  const previewOptions = () => options.preview ?? previewDefaults;
  return routeOf(
    controllerOperations.previewTable,
    async (request, reply) => {
      const { concurrencyMax, run, limits, finder, openStream } = previewOptions();
      if (runningCount >= concurrencyMax) {
        throw new QuireError('TOO_MANY_REQUESTS', `${concurrencyMax} previews run already; try again soon.`);
      }
      runningCount += 1;
      try {
        const call = { body: request.body as string, mayReadSources: principalOf(request).role === 'admin' };
        const callOptions = { signal: signalOf(request) };
        const answer = await (run === undefined
          ? runHere(call, callOptions, { clock, limits, finder, openStream })
          : run(call, callOptions));
        return await reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(answer);
      } finally {
        runningCount -= 1;
      }
    },
    textBody(previewOptions().bodyBytesMax),
  );
}

async function runHere(
  { body, mayReadSources }: PreviewCall,
  { signal }: CallOptions,
  {
    clock,
    limits,
    finder,
    openStream,
  }: Pick<ControllerPreviewOptions, 'limits' | 'finder' | 'openStream'> & Pick<ControllerContext, 'clock'>,
): Promise<Readable> {
  const sources = mayReadSources ? { finder, openStream } : {};
  return Readable.from(await previewText(body, { clock, limits, ...sources, signal }), { objectMode: false });
}

/** POST /tables/validate, /schemas/validate and /tableConfigs/validate: pure checks of what the body holds. */
export function validateRoutes({ options }: ControllerContext): readonly RouteOptions[] {
  const body = objectBody(options.bodyBytesMax, () => options.preview?.limits.digitsMax);
  const route = (operation: Operation, check: (document: unknown) => object): RouteOptions =>
    routeOf(
      operation,
      async (request, reply) =>
        reply
          .header('cache-control', 'no-store')
          .type('application/json; charset=utf-8')
          .send(writeLosslessJson(check(request.body))),
      body,
    );
  return [
    route(controllerOperations.validateTable, checkTableConfig),
    route(controllerOperations.validateSchema, checkTableSchema),
    route(controllerOperations.validateTableConfigs, checkTableConfigs),
  ];
}

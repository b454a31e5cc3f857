import { CallLimits } from '@quire/auth';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RouteHandlerMethod,
} from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { callContextOf } from '../src/call-context.ts';
import { addCallHooks } from '../src/call-hooks.ts';
import { CallsInProgress } from '../src/calls-in-progress.ts';
import { replyWithError } from '../src/error-reply.ts';
import { principalOf, type ServerOptions, ServiceMetrics } from '../src/index.ts';
import { server as serverOptions } from './echo.ts';

const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/**
 * A bare server with the hooks alone: `/who` requires credentials, `/health` does not. No port is
 * opened.
 */
function serverWithHooks(options: Partial<ServerOptions> = {}, handler?: RouteHandlerMethod) {
  const clock = new ManualClock();
  const calls = new CallsInProgress(clock);
  const metrics = new ServiceMetrics();
  const lines: {
    readonly level: string;
    readonly message: string;
    readonly [name: string]: unknown;
  }[] = [];
  const logAs = (level: string) => (members: object, message: string) =>
    void lines.push({ level, message, ...members });
  const levels = Object.fromEntries(
    ['info', 'debug', 'warn', 'error', 'fatal', 'trace'].map((level) => [level, logAs(level)]),
  );
  const log = {
    ...levels,
    level: 'debug',
    silent: () => undefined,
    child: (): object => log,
  } as unknown as FastifyBaseLogger;
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => 'id-1',
  } as never) as unknown as FastifyInstance;
  server.setErrorHandler(replyWithError);
  const context = { clock, calls, metrics, startMs: 0, address: () => undefined };
  const missing = () => new QuireError('ROUTE_NOT_FOUND', 'There is no such path.');
  addCallHooks(server, context, { ...serverOptions, ...options }, missing);
  server.get('/who', handler ?? (async (request) => principalOf(request)));
  server.get(
    '/health',
    { config: { isPublic: true } },
    async (request) => callContextOf(request).principal ?? 'nobody',
  );
  open.push(server);
  return { server, clock, calls, metrics, lines };
}

const me = { authorization: 'me' };

describe('the hooks of a call', () => {
  test('the hooks of a call let in who proves who it is, and give every answer the id of its call', async () => {
    const { server } = serverWithHooks();
    const [known, stranger, open_] = await Promise.all([
      server.inject({ url: '/who', headers: me }),
      server.inject({ url: '/who' }),
      server.inject({ url: '/health' }),
    ]);
    expect([known.statusCode, known.json()]).toEqual([200, { name: 'me', role: 'query' }]);
    expect([stranger.statusCode, stranger.json().reason]).toEqual([401, 'UNAUTHENTICATED']);
    expect([open_.statusCode, open_.body]).toEqual([200, 'nobody']);
    expect([known, stranger, open_].map(({ headers }) => headers['x-request-id'])).toEqual([
      'id-1',
      'id-1',
      'id-1',
    ]);
  });

  test('log one line and count one call when it has ended; what is routine is logged for debugging only', async () => {
    const { server, calls, metrics, lines } = serverWithHooks();
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    await fetch(`${url}/who?secret=1`, { headers: me });
    await fetch(`${url}/health`);
    await calls.settled();
    const ended = lines.filter(({ message }) => message === 'call ended');
    expect(ended).toEqual([
      {
        level: 'info',
        message: 'call ended',
        method: 'GET',
        route: '/who',
        status: 200,
        durationMs: 0,
        principal: 'me',
      },
      {
        level: 'debug',
        message: 'call ended',
        method: 'GET',
        route: '/health',
        status: 200,
        durationMs: 0,
        principal: undefined,
      },
    ]);
    expect((await metrics.render({ isAdmin: false })).text).toContain(
      'duration_seconds_count{method="GET",route="/who",status="200"} 1',
    );
  });

  test('the hooks of a call measure by the clock, and add what the route noted', async () => {
    const { server, clock, calls, lines } = serverWithHooks({}, async (request) => {
      callContextOf(request).notes = { rowCount: 3 };
      await clock.advance(250);
      return {};
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    await fetch(`${url}/who`, { headers: me });
    await calls.settled();
    expect(lines.at(-1)).toMatchObject({ message: 'call ended', durationMs: 250, rowCount: 3 });
  });

  test('the hooks of a call refuse every call once a shutdown has begun', async () => {
    const { server, calls } = serverWithHooks();
    await calls.drain(0);
    const answer = await server.inject({ url: '/who', headers: me });
    expect([answer.statusCode, answer.json().reason]).toEqual([503, 'SHUTTING_DOWN']);
  });

  test('the hooks of a call refuse an encoding of the body that Node would not read, and end the connection', async () => {
    const { server } = serverWithHooks();
    const answer = await server.inject({
      url: '/who',
      headers: { ...me, 'transfer-encoding': 'gzip' },
    });
    expect([answer.statusCode, answer.headers.connection]).toEqual([expect.any(Number), 'close']);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  });

  test('the hooks of a call hold back an address that guesses, and say when it may try again', async () => {
    const clock = new ManualClock();
    const settings = { ...unlimited, failuresPerMinuteMax: 2 };
    const authenticate = async (): Promise<never> => {
      throw new QuireError('UNAUTHENTICATED', 'Wrong.');
    };
    const { server } = serverWithHooks({
      authenticate,
      limits: new CallLimits(() => settings, clock),
    });
    const guesses = [];
    for (const authorization of ['one', 'two', 'three']) {
      guesses.push(await server.inject({ url: '/who', headers: { authorization } }));
    }
    expect(guesses.map(({ statusCode }) => statusCode)).toEqual([401, 401, 429]);
    expect(Number(guesses[2]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('the hooks of a call let a principal run as many calls at once as it may, and take a call off when it has ended', async () => {
    const limits = new CallLimits(() => ({ ...unlimited, callsRunningMax: 1 }), new ManualClock());
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { server } = serverWithHooks({ limits }, async () => {
      started.resolve();
      await gate.promise;
      return {};
    });
    const first = server.inject({ url: '/who', headers: me });
    await started.promise;
    const second = await server.inject({ url: '/who', headers: me });
    const other = server.inject({ url: '/who', headers: { authorization: 'you' } });
    gate.resolve();
    expect([(await first).statusCode, second.statusCode, (await other).statusCode]).toEqual([
      200, 429, 200,
    ]);
    expect((await server.inject({ url: '/who', headers: me })).statusCode).toBe(200);
  });
});

const unlimited = {
  callsPerSecondMax: Infinity,
  callsRunningMax: Infinity,
  failuresPerMinuteMax: Infinity,
};

import { type ControllerHealthResponse, controllerOperations, tableProblemsMax } from '@quire/api';
import { routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import type { TablesStatus } from '../table-watch.ts';

/** GET /health, without authentication, so it contains only public facts. */
export function readHealthRoute({
  options,
  clock,
  startMs,
  watch,
  previewSlots,
}: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readHealth, async (_request, reply) => {
    const [status, problems, details] = await Promise.all([
      watch?.read(),
      watch?.readProblems(),
      options.healthDetails?.(),
    ]);
    const engineState = details?.engine?.state;
    const isDegraded =
      (problems ?? []).length > 0 || engineState === 'degraded' || engineState === 'unavailable';
    const health: ControllerHealthResponse = {
      status: isDegraded ? 'degraded' : 'ok',
      version: options.version,
      uptimeMs: Math.max(0, Math.floor(clock.monotonicMs() - startMs)),
      previewsRunning: previewSlots.takenCount,
      previewsQueued: previewSlots.waitingCount,
      ...details,
      ...(status !== undefined && { tables: tablesOf(status) }),
      ...(problems !== undefined && {
        problemCount: problems.length,
        problems: problems.slice(0, tableProblemsMax),
      }),
    };
    return reply.header('cache-control', 'no-store').send(health);
  });
}

function tablesOf(status: TablesStatus): NonNullable<ControllerHealthResponse['tables']> {
  const { tableCount, lagMessages, lagMsMax, partitions, tasks } = status;
  return {
    tableCount,
    partitions: {
      starting: partitions.STARTING,
      consuming: partitions.CONSUMING + partitions.COMMITTING,
      paused: partitions.PAUSED,
      retrying: partitions.RETRYING,
      stopped: partitions.STOPPED,
    },
    lagMessages,
    lagMsMax,
    tasks: {
      running: tasks.NOT_STARTED + tasks.IN_PROGRESS,
      stopped: tasks.STOPPING + tasks.STOPPED,
      failed: tasks.FAILING + tasks.FAILED + tasks.TIMING_OUT + tasks.TIMED_OUT + tasks.ABORTED,
      completed: tasks.COMPLETED,
    },
  };
}

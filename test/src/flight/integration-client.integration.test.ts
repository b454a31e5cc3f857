import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createFlightServer } from '@quire/flight';
import { systemClock } from '@quire/core';
import { expect, test } from 'vitest';
import { describeWithTool, flightClient } from '../testkit/toolchain.ts';
import { scenarios } from './scenarios.ts';

const run = promisify(execFile);

describeWithTool(flightClient, "Apache Arrow's integration client for Flight", (program) => {
  test.each(Object.keys(scenarios))(
    "Apache Arrow's integration client for Flight agrees with the server of %s",
    async (name) => {
      const scenario = scenarios[name]?.();
      if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
      await using server = createFlightServer<string>({
        open: async () => '',
        ...scenario,
        clock: systemClock,
        host: '127.0.0.1',
        port: 0,
        requestBytesMax: 4 * 1024 * 1024,
        headerBytesMax: 16_384,
        requestTimeoutMs: 30_000,
        idleTimeoutMs: 75_000,
      });
      const { port } = await server.listen();
      const options = ['-host', '127.0.0.1', '-port', String(port), '-scenario', name];
      const ended = await run(program, options).catch((error: unknown) => error);
      expect(ended).not.toBeInstanceOf(Error);
    },
  );
});

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';

test('a server that is restarted keeps its port: no system gives it to a connection, and no other call returns it', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.min(...ports)).toBeGreaterThan(10_080); // the last that `fetch` refuses
  expect(Math.max(...ports)).toBeLessThan(32_768);
  for (const port of ports) {
    // As a call in another process would reserve it.
    const socket = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
    await expect(once(socket, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  }
});

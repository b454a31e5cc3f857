import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least that a server on Node can be: what of a start, and of memory at rest, is Node's own.
const server = createServer((_request, response) => response.end());
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => server.close());

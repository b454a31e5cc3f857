import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least that a server on Node can be: Node's own part of the start, and of the memory at rest.
const server = createServer((_request, response) => response.end());
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => server.close());

import { QuireError } from '@quire/core';
import type { Service, ServiceAddress } from '@quire/service';

/** What is to listen, and the settings that say where. */
export interface Listener {
  readonly service: Pick<Service, 'listen'>;
  /** What it is, for a message: `broker`. */
  readonly role: string;
  readonly host: string;
  readonly port: number;
  /** The setting of the port. */
  readonly portKey: string;
}

/**
 * Starts a service to listen.
 *
 * @throws INVALID_SETTING when it cannot listen where the settings say, with what to do about it
 */
export async function listen({ service, role, host, port, portKey }: Listener): Promise<ServiceAddress> {
  try {
    return await service.listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const message = messageFor(code, { role, host, port, portKey });
    throw message === undefined ? error : new QuireError('INVALID_SETTING', message, { cause: error });
  }
}

function messageFor(code: unknown, { role, host, port, portKey }: Omit<Listener, 'service'>): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `${portKey} = ${port}: something listens there already on ${host}, perhaps another ${role}. ` +
        `Choose another port, or 0 for any free one: --set ${portKey}=0`
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `engine.bind.host = ${host}: this machine has no such address.`;
    case 'EACCES':
      return `${portKey} = ${port}: this user may not listen there.`;
    default:
      return undefined;
  }
}

import { listenError } from '@quire/core/process';
import type { Service, ServiceAddress } from '@quire/service';

/** A service that will listen, and the settings of its address. */
export interface Listener {
  readonly service: Pick<Service, 'listen'>;
  /** The name of the role for messages: `broker`. */
  readonly role: string;
  readonly host: string;
  readonly port: number;
  /** The setting of the port. */
  readonly portKey: string;
}

/**
 * Starts a service.
 *
 * @throws INVALID_SETTING when it cannot listen on the address in the settings, with advice
 */
export async function listen({
  service,
  role,
  host,
  port,
  portKey,
}: Listener): Promise<ServiceAddress> {
  try {
    return await service.listen();
  } catch (error) {
    throw listenError(error, {
      host,
      port,
      portKey,
      hostKey: 'engine.bind.host',
      suspect: `another ${role}`,
    });
  }
}

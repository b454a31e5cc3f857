import { listenError } from '@quire/core/process';
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

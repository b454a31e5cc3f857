import type { AuthorizationProvider, Principal } from '@quire/auth';
import { type Controller, type ControllerOptions, createController } from '@quire/controller';
import { QuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import type { ServiceAddress } from '@quire/service';

const principals: Readonly<Record<string, Principal>> = {
  'Bearer ann-token': { name: 'ann', role: 'query' },
  'Bearer bob-token': { name: 'bob', role: 'query' },
  'Bearer root-token': { name: 'root', role: 'admin' },
};

const rootAuthorization: AuthorizationProvider = { authorization: async () => 'Bearer root-token' };

interface CallOptions {
  readonly method?: string;
  readonly as?: 'ann' | 'bob' | 'root' | undefined;
  /** Text of the body. */
  readonly body?: string;
  readonly mediaType?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A controller over HTTP on a free port, which calls brokers as root; its clock does not advance.
 */
export class TestController implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly controller: Controller;
  address: ServiceAddress = { host: '', port: 0, url: '' };

  private constructor(brokers: readonly string[], options: Partial<ControllerOptions>) {
    this.controller = createController({
      authenticate: async (header) => {
        const principal = principals[header ?? ''];
        if (principal === undefined) {
          throw new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');
        }
        return principal;
      },
      host: '127.0.0.1',
      port: 0,
      version: '1.2.3',
      bodyBytesMax: 4096,
      headerBytesMax: 8192,
      requestTimeoutMs: 30_000,
      idleTimeoutMs: 30_000,
      shutdownGraceMs: 0,
      brokers,
      brokerTimeoutMs: 30_000,
      schedule: { periodMs: 60_000, initialDelayMs: 1000 },
      authorization: rootAuthorization,
      clock: this.clock,
      random: new SeededRandom(1),
      ...options,
    });
  }

  static async start(
    brokers: readonly string[],
    options: Partial<ControllerOptions> = {},
  ): Promise<TestController> {
    const test = new TestController(brokers, options);
    test.address = await test.controller.listen();
    return test;
  }

  /** Calls the controller, as root by default. */
  call(path: string, options: CallOptions = {}): Promise<Response> {
    const as = 'as' in options ? options.as : 'root';
    const { method = 'GET', body, mediaType = 'application/json', signal = null } = options;
    const headers = {
      ...(as !== undefined && { authorization: `Bearer ${as}-token` }),
      ...(body !== undefined && { 'content-type': mediaType }),
      ...options.headers,
    };
    return fetch(`${this.address.url}${path}`, { method, headers, body: body ?? null, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controller.close();
  }
}

import { join } from 'node:path';
import { Child } from '../process/child.ts';

/** A proxy in a separate process, ready for calls. */
export class ProxyServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: Child;

  private constructor(child: Child, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(
    brokers: readonly string[],
    profileDirectory: string | undefined,
  ): Promise<ProxyServer> {
    const child = new Child(join(import.meta.dirname, 'proxy.process.ts'), brokers, {
      profileDirectory,
      // As the first line of the command reports.
      nodeOptions: ['--max-semi-space-size=2'],
    });
    return new ProxyServer(child, String(await child.call('url')));
  }

  get pid(): number {
    return this.#child.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}

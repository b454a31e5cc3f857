import { join } from 'node:path';
import { Child } from '../process/child.ts';
import type { PageTarget } from '../http/page-reader.ts';
import type { RivalKind } from './rival.ts';

/** The rivals of one kind, in a separate process, ready for calls. */
export class RivalServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: Child;

  private constructor(child: Child, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(kind: RivalKind): Promise<RivalServer> {
    const child = new Child(join(import.meta.dirname, 'rival.process.ts'), kind);
    const port = await child.call('port');
    return new RivalServer(child, `http://127.0.0.1:${String(port)}`);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The request of a page of the data at a path. */
  pageOf(source: string, offset: number, rowCount: number): PageTarget {
    return { path: `/?source=${encodeURIComponent(source)}&offset=${offset}&rowCount=${rowCount}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}

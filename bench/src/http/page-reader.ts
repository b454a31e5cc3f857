import { Client, type Dispatcher } from 'undici';

export interface PageTarget {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Reads pages from one server over one persistent connection, and discards the bytes as they
 * arrive.
 */
export class PageReader implements AsyncDisposable {
  readonly #client: Client;

  constructor(url: string) {
    this.#client = new Client(url, {
      bodyTimeout: 600_000,
      headersTimeout: 600_000,
      keepAliveTimeout: 600_000,
    });
  }

  /**
   * Reads a page to its last byte; resolves to the number of bytes.
   *
   * @throws Error when the status is not 200, or the response is incomplete
   */
  read(target: PageTarget): Promise<number> {
    return new Promise((resolve, reject) => {
      let sizeBytes = 0;
      let status = 0;
      let failure = '';
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          sizeBytes += chunk.length;
          if (status !== 200) failure += chunk.toString();
        },
        onResponseEnd() {
          if (status === 200) resolve(sizeBytes);
          else reject(new Error(`${target.path} was answered with status ${status}: ${failure}`));
        },
        onResponseError: (_controller, error) => reject(error),
      };
      this.#client.dispatch(
        { method: 'GET', path: target.path, headers: target.headers ?? {} },
        handler,
      );
    });
  }

  /** Reads a page as bytes, without decoding it. */
  async readBytes(target: PageTarget): Promise<Buffer> {
    const { statusCode, body } = await this.#client.request({
      method: 'GET',
      path: target.path,
      headers: target.headers ?? {},
    });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) {
      throw new Error(`${target.path} was answered with status ${statusCode}: ${bytes.toString()}`);
    }
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.destroy();
  }
}

import type { S3Client, ServerSideEncryption } from '@aws-sdk/client-s3';
import { type CallOptions, throwIfAborted } from '@quire/core';
import type { BucketLocation, FailedCall } from '@quire/core/bucket';
import { requestFailures } from './errors.ts';

/** The encryption of new objects; absent: as configured for the bucket. */
export interface EncryptionParameters {
  readonly ServerSideEncryption?: ServerSideEncryption;
  readonly SSEKMSKeyId?: string;
}

/**
 * The common part of all calls to a bucket: the client, the names, and the lifetime of the
 * connections.
 */
export class Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
  readonly location: string;
  readonly encryption: EncryptionParameters;
  #holderCount = 0;
  #isClosed = false;

  constructor(
    client: S3Client,
    { bucket, prefix }: BucketLocation,
    encryption: EncryptionParameters,
  ) {
    this.client = client;
    this.name = bucket;
    this.prefix = prefix;
    this.location = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
    this.encryption = encryption;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the location of an object in the bucket. */
  target(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.name, Key: this.prefix + key };
  }

  /** Runs one request of a call. An aborted call sends none. */
  async request<T>(
    call: FailedCall,
    run: (client: S3Client, options: { abortSignal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(call.signal);
    return requestFailures.run(call, () =>
      run(this.client, call.signal === undefined ? {} : { abortSignal: call.signal }),
    );
  }

  callOf(op: FailedCall['op'], key: string, options: CallOptions | undefined): FailedCall {
    return { op, key, location: this.location, signal: options?.signal };
  }

  /**
   * Keeps the connections open, even after `close`, until the result is disposed; a second disposal
   * has no effect.
   */
  hold(): Disposable {
    this.#holderCount += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#holderCount -= 1;
        isHeld = false;
        this.#destroyWhenUnused();
      },
    };
  }

  /** Closes the connections as soon as they are not held. */
  close(): void {
    this.#isClosed = true;
    this.#destroyWhenUnused();
  }

  #destroyWhenUnused(): void {
    if (this.#isClosed && this.#holderCount === 0) this.client.destroy();
  }
}

import { Duplex } from 'node:stream';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { SeededRandom } from '@quire/core/testing';
import type { SimulatedProcess } from './machine.ts';
import type { buildConnector } from 'undici';
import type { Scheduler } from './scheduler.ts';

/** The timeout of a program's connection attempt to a machine that does not answer. */
const connectTimeoutMs = 5000;

/**
 * TCP between simulated processes: bytes arrive in order, after a latency, or the connection ends.
 * A link that is cut holds bytes back until it is restored, as retransmission does.
 */
export class Network {
  readonly scheduler: Scheduler;
  readonly #random: SeededRandom;
  readonly #listeners = new Map<string, { process: SimulatedProcess; server: Server }>();
  readonly #cut = new Set<string>();
  readonly #sockets = new Set<SimulatedSocket>();
  /** Sockets of killed processes, which Node's HTTP parsers keep in memory until they close. */
  readonly #orphaned: SimulatedSocket[] = [];
  /** The maximum latency of a delivery. */
  latencyMaxMs = 3;

  constructor(scheduler: Scheduler, random: SeededRandom) {
    this.scheduler = scheduler;
    this.#random = random;
  }

  /** Answers connections to `host` with a process's listener, until it is killed. */
  listen(host: string, process: SimulatedProcess, listener: RequestListener): void {
    const server = createServer(
      { connectionsCheckingInterval: 1e9, keepAliveTimeout: 0 },
      listener,
    );
    server.requestTimeout = 0;
    server.headersTimeout = 0;
    this.#listeners.set(host, { process, server });
    process.onKilled(() => {
      if (this.#listeners.get(host)?.process === process) this.#listeners.delete(host);
      server.close();
      this.#resetConnectionsOf(process);
    });
  }

  /** The connector by which a process reaches others: the option `connect` of undici. */
  connectorOf(process: SimulatedProcess): buildConnector.connector {
    return ({ hostname }, callback) => {
      this.scheduler.after(this.latencyMs(), () => {
        if (!process.isAlive) return;
        const target = this.#listeners.get(hostname);
        if (this.isCut(process.name, hostname)) {
          this.scheduler.after(connectTimeoutMs, () => {
            if (process.isAlive) callback(failure('ETIMEDOUT', `connect to ${hostname}`), null);
          });
        } else if (target === undefined) {
          callback(failure('ECONNREFUSED', `connect to ${hostname}`), null);
        } else {
          const [near, far] = this.#pair(process, target.process);
          target.server.emit('connection', far);
          // Undici accepts any object that reads and writes as a socket does.
          callback(null, near as never);
        }
      });
    };
  }

  /** Cuts the link between two processes, by their names, or makes it whole again. */
  setCut(a: string, b: string, isCut: boolean): void {
    for (const key of [`${a} ${b}`, `${b} ${a}`]) {
      if (isCut) this.#cut.add(key);
      else this.#cut.delete(key);
    }
    if (!isCut) for (const socket of this.#sockets) socket.deliver();
  }

  /** Makes every link whole. */
  heal(): void {
    this.#cut.clear();
    for (const socket of this.#sockets) socket.deliver();
  }

  isCut(a: string, b: string): boolean {
    return this.#cut.has(`${a} ${b}`);
  }

  /** Ends one connection in mid-flight, if there is any; bytes on the way are lost. */
  resetOne(): void {
    const sockets = [...this.#sockets];
    const socket = sockets[this.#random.integer(Math.max(1, sockets.length))];
    socket?.destroy(failure('ECONNRESET', 'connection reset'));
    socket?.peer?.destroy(failure('ECONNRESET', 'connection reset'));
  }

  /** Closes all sockets, once no process is alive. */
  close(): void {
    for (const socket of [...this.#sockets, ...this.#orphaned.splice(0)]) socket.destroy();
  }

  latencyMs(): number {
    return this.#random.fraction() * this.latencyMaxMs;
  }

  forget(socket: SimulatedSocket): void {
    this.#sockets.delete(socket);
  }

  #pair(a: SimulatedProcess, b: SimulatedProcess): readonly [SimulatedSocket, SimulatedSocket] {
    const near = new SimulatedSocket(this, a);
    const far = new SimulatedSocket(this, b);
    near.peer = far;
    far.peer = near;
    this.#sockets.add(near).add(far);
    return [near, far];
  }

  /** The peers of a killed process receive a reset, after a latency. */
  #resetConnectionsOf(process: SimulatedProcess): void {
    for (const socket of this.#sockets) {
      if (socket.owner !== process) continue;
      this.#sockets.delete(socket);
      this.#orphaned.push(socket);
      const { peer } = socket;
      this.scheduler.after(this.latencyMs(), () => {
        if (peer?.owner.isAlive === true) peer.destroy(failure('ECONNRESET', 'connection reset'));
      });
    }
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

type Parcel =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly taken: () => void }
  | { readonly kind: 'end' };

/** One end of a connection. */
class SimulatedSocket extends Duplex {
  readonly owner: SimulatedProcess;
  readonly #network: Network;
  peer: SimulatedSocket | undefined;
  readonly remoteAddress = '10.0.0.1';
  readonly remotePort = 1;
  readonly #parcels: Parcel[] = [];
  #isWanted = true;
  #arrivalMs = 0;

  constructor(network: Network, owner: SimulatedProcess) {
    super({ allowHalfOpen: false, highWaterMark: 64 * 1024 });
    this.#network = network;
    this.owner = owner;
    this.on('error', () => undefined);
  }

  /** Receives bytes from the other end. */
  receive(parcel: Parcel): void {
    this.#parcels.push(parcel);
    this.deliver();
  }

  /** Delivers received bytes to the reader, as far as it reads and the link is not cut. */
  deliver(): void {
    const { peer } = this;
    if (!this.owner.isAlive || this.destroyed || peer === undefined) return;
    if (this.#network.isCut(this.owner.name, peer.owner.name)) return;
    while (this.#isWanted) {
      const parcel = this.#parcels.shift();
      if (parcel === undefined) return;
      if (parcel.kind === 'end') {
        this.push(null);
      } else {
        this.#isWanted = this.push(parcel.bytes);
        parcel.taken();
      }
    }
  }

  override _read(): void {
    this.#isWanted = true;
    this.deliver();
  }

  override _write(chunk: Uint8Array, _encoding: string, callback: (error?: Error) => void): void {
    const bytes = Uint8Array.prototype.slice.call(chunk);
    this.#send({
      kind: 'bytes',
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      taken: () => {
        if (this.owner.isAlive) callback();
      },
    });
  }

  override _final(callback: () => void): void {
    this.#send({ kind: 'end' });
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const { peer } = this;
    this.#network.forget(this);
    if (this.owner.isAlive) {
      this.#network.scheduler.after(this.#network.latencyMs(), () => {
        if (peer === undefined || !peer.owner.isAlive || peer.destroyed) return;
        if (error === null && this.writableEnded) return;
        peer.destroy(failure('ECONNRESET', 'connection reset'));
      });
    }
    callback(error);
  }

  #send(parcel: Parcel): void {
    const { scheduler } = this.#network;
    this.#arrivalMs = Math.max(this.#arrivalMs, scheduler.nowMs + this.#network.latencyMs());
    scheduler.after(this.#arrivalMs - scheduler.nowMs, () => {
      this.peer?.receive(parcel);
    });
  }

  // Methods that node:http and undici call on sockets, and that do nothing here.

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  resetAndDestroy(): this {
    return this.destroy(failure('ECONNRESET', 'connection reset'));
  }
}

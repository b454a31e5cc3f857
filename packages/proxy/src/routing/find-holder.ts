import { metadataPath } from '@quire/api';
import type { Clock, RequestId } from '@quire/core';
import type { Broker } from '../brokers/broker.ts';
import { callBroker } from '../brokers/call-broker.ts';

export interface HolderInquiry {
  readonly requestId: RequestId;
  /** The headers of the caller: credentials, and the origin of the call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The replies of the brokers about a result. */
export interface HolderReplies {
  /**
   * The broker that has it, or knows the reason for its removal; otherwise one that refuses to
   * answer this caller.
   */
  readonly holder: Broker | undefined;
  /** The brokers that did not reply. While there are any, the result may exist. */
  readonly silent: readonly Broker[];
}

type Reply = 'has it' | 'has it not' | 'refuses' | 'is silent';

/**
 * Asks brokers for a result concurrently; the first that has it decides, and the others are not
 * waited for.
 */
export async function findHolder(
  brokers: readonly Broker[],
  inquiry: HolderInquiry,
): Promise<HolderReplies> {
  const enough = new AbortController();
  const replies = new Map<Broker, Reply>();
  const signal = AbortSignal.any([inquiry.signal, enough.signal]);
  const { promise: isDecided, resolve: decide } = Promise.withResolvers<void>();
  for (const broker of brokers) {
    void ask(broker, { ...inquiry, signal }).then((reply) => {
      replies.set(broker, reply);
      if (reply === 'has it' || replies.size === brokers.length) decide();
    });
  }
  if (brokers.length > 0) await isDecided;
  enough.abort();
  const thatSay = (reply: Reply): readonly Broker[] =>
    brokers.filter((broker) => replies.get(broker) === reply);
  const [holder] = [...thatSay('has it'), ...thatSay('refuses')];
  return { holder, silent: thatSay('is silent') };
}

async function ask(broker: Broker, { requestId, ...call }: HolderInquiry): Promise<Reply> {
  try {
    const question = {
      ...call,
      method: 'HEAD',
      path: metadataPath(requestId),
      bodyBytesMax: 0,
    } as const;
    const { status } = await callBroker(broker, question);
    if (status === 200 || status === 410) return 'has it';
    // 421: another broker runs it, which is asked as well.
    if (status === 404 || status === 421) return 'has it not';
    return status === 401 || status === 403 || status === 429 ? 'refuses' : 'is silent';
  } catch {
    return 'is silent'; // whatever prevented the answer
  }
}

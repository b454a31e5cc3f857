import { ProduceAcks, Producer } from '@platformatic/kafka';
import { type CallOptions, throwIfAborted } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { MessageProducer, NewMessage } from '../message-producer.ts';
import { describeTopic, type KafkaConfig } from './kafka-config.ts';
import { clientOptions } from './kafka-connections.ts';
import { toStreamError } from './kafka-errors.ts';

/**
 * Writes to a topic of Apache Kafka; a message counts as written once every in-sync replica has it.
 */
export class KafkaProducer implements MessageProducer {
  readonly description: string;
  readonly #topic: string;
  readonly #producer: Producer;

  constructor({ topic, config }: { readonly topic: string; readonly config: KafkaConfig }) {
    this.#topic = topic;
    this.description = describeTopic(topic, config);
    this.#producer = new Producer(clientOptions(config));
  }

  async append(messages: readonly NewMessage[], { signal }: CallOptions = {}): Promise<void> {
    throwIfAborted(signal);
    if (messages.length === 0) return;
    const sent = this.#producer.send({
      messages: messages.map(({ key, value, partition }) => ({
        topic: this.#topic,
        value: Buffer.from(value),
        ...(key !== null && { key: Buffer.from(key) }),
        ...(partition !== undefined && { partition }),
      })),
      acks: ProduceAcks.ALL,
      // The client would resend all messages of a broker because one of its partitions had moved.
      repeatOnStaleMetadata: false,
    });
    try {
      await unlessAborted(sent, signal);
    } catch (error) {
      this.#producer.clearMetadata();
      throw toStreamError(error, this.description);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#producer.close();
  }
}

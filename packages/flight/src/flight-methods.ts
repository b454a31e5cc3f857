import { QuireError } from '@quire/core';
import type { FlightCall, FlightProducer, OutgoingData } from './flight-producer.ts';
import type { GrpcCall } from './grpc/grpc-call.ts';
import {
  actionCodec,
  actionResultCodec,
  actionTypeCodec,
  criteriaCodec,
  flightDataCodec,
  flightDescriptorCodec,
  flightInfoCodec,
  handshakeCodec,
  pollInfoCodec,
  putResultCodec,
  schemaResultCodec,
  ticketCodec,
} from './wire/flight-messages.ts';
import { type MessageCodec, Writer } from './wire/protobuf.ts';

type FlightMethod = <Context>(
  producer: FlightProducer<Context>,
  call: GrpcCall,
  seen: FlightCall<Context>,
) => Promise<void>;

/** The service that all Flight clients call. */
export const flightService = 'arrow.flight.protocol.FlightService';

/** The calls of the service, by their names. */
export const flightMethods: Readonly<Record<string, FlightMethod>> = {
  Handshake: async (producer, call, seen) => {
    const requests = decoded(handshakeCodec, call.messages());
    await sendAll(
      call,
      handshakeCodec,
      implemented('Handshake', producer.handshake?.(requests, seen)),
    );
  },
  ListFlights: async (producer, call, seen) => {
    const { expression } = criteriaCodec.decode(await call.message());
    await sendAll(
      call,
      flightInfoCodec,
      implemented('ListFlights', producer.listFlights?.(expression, seen)),
    );
  },
  GetFlightInfo: async (producer, call, seen) => {
    const descriptor = flightDescriptorCodec.decode(await call.message());
    const info = implemented('GetFlightInfo', producer.getFlightInfo?.(descriptor, seen));
    await call.send(flightInfoCodec.encode(await info));
  },
  PollFlightInfo: async (producer, call, seen) => {
    const descriptor = flightDescriptorCodec.decode(await call.message());
    const info = implemented('PollFlightInfo', producer.pollFlightInfo?.(descriptor, seen));
    await call.send(pollInfoCodec.encode(await info));
  },
  GetSchema: async (producer, call, seen) => {
    const descriptor = flightDescriptorCodec.decode(await call.message());
    const schema = await implemented('GetSchema', producer.getSchema?.(descriptor, seen));
    await call.send(schemaResultCodec.encode({ schema }));
  },
  DoGet: async (producer, call, seen) => {
    const ticket = ticketCodec.decode(await call.message());
    for await (const data of implemented('DoGet', producer.doGet?.(ticket, seen))) {
      await call.send(headOf(data), data.dataBody);
    }
  },
  DoPut: async (producer, call, seen) => {
    const data = decoded(flightDataCodec, call.messages());
    const results = implemented('DoPut', producer.doPut?.(data, seen));
    for await (const appMetadata of results) {
      await call.send(putResultCodec.encode({ appMetadata }));
    }
  },
  DoAction: async (producer, call, seen) => {
    const action = actionCodec.decode(await call.message());
    const results = implemented('DoAction', producer.doAction?.(action, seen));
    for await (const body of results) await call.send(actionResultCodec.encode({ body }));
  },
  ListActions: async (producer, call, seen) => {
    await call.message();
    for (const type of implemented('ListActions', producer.listActions?.(seen))) {
      await call.send(actionTypeCodec.encode(type));
    }
  },
};

function implemented<Value>(name: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new QuireError('UNSUPPORTED', `This server does not implement ${name}.`);
}

async function* decoded<Message>(
  codec: MessageCodec<Message>,
  messages: AsyncIterable<Uint8Array>,
): AsyncGenerator<Message> {
  for await (const message of messages) yield codec.decode(message);
}

async function sendAll<Message>(
  call: GrpcCall,
  codec: MessageCodec<Message>,
  messages: AsyncIterable<Partial<Message>>,
): Promise<void> {
  for await (const message of messages) await call.send(codec.encode(message));
}

const bodyField = 1000;
const delimited = 2;

/** Encodes a message of data, except the bytes of its body. */
function headOf({ dataBody, ...head }: OutgoingData): Uint8Array {
  const encoded = flightDataCodec.encode(head);
  if (dataBody === undefined || dataBody.length === 0) return encoded;
  const prefix = new Writer();
  prefix.tag(bodyField, delimited);
  prefix.varint(BigInt(dataBody.length));
  return Buffer.concat([encoded, prefix.bytes()]);
}

/* One request and its answer, for servers that call brokers; the client itself is built on it. */
export {
  brokerAnswerTooLong,
  brokerErrors,
  type BrokerHealth,
  parseBrokerHealth,
  parseDeletedCount,
  parseResultList,
} from './broker-answers.ts';
export { Exchange, type ExchangeErrors, type ExchangeOptions, readWhole } from './exchange.ts';
export {
  type Dispatcher,
  dispatcherTransport,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from './transport.ts';

/** Classes of Apache Pinot that decode JSON, by the last part of their names. */
const jsonDecoders = new Set(['json', 'JSONMessageDecoder', 'KafkaJSONMessageDecoder']);

/** Whether a decoder's name, with or without its package, stands for the one that there is: JSON objects. */
export function isSupportedDecoder(name: string): boolean {
  return jsonDecoders.has(name.slice(name.lastIndexOf('.') + 1));
}

/** Names that Kafka allows for topics; a file stream makes a directory of them. */
const topicPattern = /^[\w.-]{1,249}$/;

/**
 * Whether a text can name a topic: up to 249 letters, digits, dots, underscores and hyphens, and
 * not only one or two dots.
 */
export function isTopicName(text: string): boolean {
  return topicPattern.test(text) && text !== '.' && text !== '..';
}
